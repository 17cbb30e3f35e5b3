import type { PagePolicy } from '../policies.ts';
import { isPlainObject } from '../syntax/raw-value.ts';

/** Strapi 5. Ignores unknown keys, and a `pagination` that is no object. A size that is no number is the maximum. */
export const pageOfVersion5: PagePolicy = {
  pagingWithoutPages: () => 'root',
  checksUnused: false,
  readObject: (pagination) => (isPlainObject(pagination) ? pagination : {}),
  checkNumber: () => {},
  isMaximum: () => false,
};

/** Strapi 4. */
export const pageOfVersion4: PagePolicy = { ...pageOfVersion5, isMaximum: (limit) => limit === -1 };
