import { z } from 'zod';

/** What a query can ask for beyond Strapi, by the name that the setting `features` switches it on with. */
export const featureNames = [
  'populateWindow',
  'fallbackLocale',
  'deepPopulate',
  'languageAware',
  'countSort',
  'zoneFilters',
  'randomSort',
  'fileFolders',
] as const;

export type FeatureName = (typeof featureNames)[number];

/** The features that are on. */
export type Features = ReadonlySet<FeatureName>;

export const features = z
  .array(z.enum(featureNames))
  .default([])
  .describe('What queries may ask for beyond Strapi. Without the name of a feature, replies are those of Strapi');
