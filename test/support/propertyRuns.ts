/**
 * Number of cases for a property that a slow library checks; `npm run test:long -- properties`
 * multiplies it by PROPERTY_FACTOR.
 */
export const runs = (quick: number): number => quick * Number(process.env.PROPERTY_FACTOR ?? 1);
