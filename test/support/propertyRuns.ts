/**
 * How often a property against a slow judge is tried: quickly here, and PROPERTY_FACTOR times as
 * often in `npm run test:long -- properties`.
 */
export const runs = (quick: number): number => quick * Number(process.env.PROPERTY_FACTOR ?? 1);
