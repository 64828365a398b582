/**
 * Number of cases for a property that a slow library checks; `npm run test:long -- properties`
 * multiplies it by PROPERTY_FACTOR, and `npm run test:mutation` divides it.
 */
export const runs = (quick: number): number =>
	Math.ceil(quick * Number(process.env.PROPERTY_FACTOR ?? 1));
