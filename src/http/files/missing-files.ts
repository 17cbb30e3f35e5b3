/** Warnings about files that entries name and their source lacks. */

/** Maximum number of missing files that a warning names. */
const shownNames = 5;

/** Returns a warning if files are missing from an archive. */
export function missingFromArchive(names: ReadonlySet<string>, present: ReadonlySet<string>): string[] {
  const hint = ' (strapi export --exclude files leaves them out)';
  return missingWarnings(names, present, 'the export', hint);
}

/** Returns a warning if files are missing from a folder. */
export function missingFromFolder(names: ReadonlySet<string>, present: ReadonlySet<string>, folder: string): string[] {
  return missingWarnings(names, present, folder);
}

/** Returns an empty list for a folder that does not exist, and throws any other error of `readdir`. */
export function noneIfMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

function missingWarnings(
  names: ReadonlySet<string>,
  present: ReadonlySet<string>,
  place: string,
  hintIfNone = '',
): string[] {
  const missing = Array.from(names).filter((name) => !present.has(name));
  if (missing.length === 0) return [];
  if (present.size === 0) {
    return [
      `none of the ${missing.length} uploaded files is in ${place}${hintIfNone}. ` +
        'Set uploads (--uploads) to their folder or URL, or upstream (--upstream) to a Strapi that serves them',
    ];
  }
  const shown = missing.slice(0, shownNames).join(', ');
  const more = missing.length > shownNames ? ', …' : '';
  return [`${missing.length} of ${names.size} uploaded files are not in ${place}: ${shown}${more}`];
}
