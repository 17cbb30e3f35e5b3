import { leadsToDrafts, type Populate, populateParts, type Status } from './populate.ts';
import type { ReadableType, RestTypes } from './rest-types.ts';

/** Rows that are read together: those of a type with a status. */
export interface Slice {
  /** Unique, and usable in the name of a file. */
  readonly name: string;
  readonly readable: ReadableType;
  /** Null for users and files, whose routes know no status. */
  readonly status: Status | null;
  /**
   * Whether the rows are those of another slice. A type without drafts has its rows once, but those rows may link to
   * drafts, which only `status=draft` shows.
   */
  readonly isOnlyLinks: boolean;
  /** What each request populates. At least one. */
  readonly parts: readonly (Populate | undefined)[];
}

/** Maximum length of `populate` in a URL. Proxies often refuse URLs of more than 8,000 characters. */
const maxPopulateLength = 5000;

/**
 * Returns the slices that hold all rows of a type, those with the values of the rows first. `maxLength` is the maximum
 * length of `populate` in a URL.
 */
export function slicesOf(types: RestTypes, readable: ReadableType, maxLength = maxPopulateLength): Slice[] {
  const { type, kind } = readable;
  const slice = (status: Status | null, isOnlyLinks = false): Slice => {
    const parts = populateParts(types, type, maxLength, isOnlyLinks);
    const name = `${type.uid.replaceAll('::', '.')}${status === null ? '' : `.${status}`}`;
    return { name, readable, status, isOnlyLinks, parts: parts.length > 0 ? parts : [undefined] };
  };
  if (kind === 'list') return [slice(null)];
  if (type.draftAndPublish) return [slice('published'), slice('draft')];
  const hasDraftLinks = Array.from(type.attributes.values()).some((attribute) => leadsToDrafts(types, attribute));
  return hasDraftLinks ? [slice('published'), slice('draft', true)] : [slice('published')];
}
