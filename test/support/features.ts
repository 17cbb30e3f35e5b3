import { type Feature, features } from '../naive/snapshot.ts';

/** The features that random queries use: all, or those that LECTERN_FEATURES names. */
export const askedFeatures = (process.env.LECTERN_FEATURES?.split(',') ?? features) as readonly Feature[];
