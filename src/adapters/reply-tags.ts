/** The tag of everything that adapters read. An event without tags makes it stale. */
export const everyRead = 'lectern';

/** Every event with tags has it. */
export const anyChange = 'all';

/** Returns the tags of a reply. A reply without tags, such as an error, may change with anything. */
export function tagsOf(response: Response): string[] {
  const names = response.headers.get('Cache-Tag') ?? anyChange;
  return [everyRead, ...names.split(/,\s*/)];
}
