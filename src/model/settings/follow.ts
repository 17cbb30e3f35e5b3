import { z } from 'zod';

export const followFields = {
  follow: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Whether changes of the Strapi are served as it makes them. Default: true for the folder of a project, false for an address',
        ),
      compareSeconds: z
        .int()
        .min(5)
        .max(86_400)
        .default(300)
        .describe('Seconds between two comparisons with the Strapi, which find what no signal has told'),
      startSeconds: z
        .int()
        .min(0)
        .max(86_400)
        .default(60)
        .describe(
          'Seconds for which a start waits for a Strapi that cannot be reached, if the cache holds nothing of it. Then the process ends with the exit code 1',
        ),
      fullAt: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:30')
        .default('03:30')
        .describe('Local time at which everything is read again once a day, up to ten minutes later'),
    })
    .prefault({})
    .describe('How the content follows a Strapi'),
};
