/** Maximum bytes of a list and of a plan in a header: proxies reject replies with some KiB of headers. */
const maximumListBytes = 1024;
const maximumPlanBytes = 4096;

/**
 * Returns texts as the value of a header, URI-encoded and separated by a comma and a blank. A list of more than 1 KiB
 * is cut and ends with the number of texts that are missing, such as `+12 more`.
 */
export function headerList(texts: readonly string[]): string {
  return cut(texts, ', ', maximumListBytes);
}

/** Returns the lines of a plan as the value of a header, cut in the same way at 4 KiB. */
export function headerPlan(plan: string): string {
  return cut(plan.split('\n'), '\n', maximumPlanBytes);
}

function cut(texts: readonly string[], separator: string, maximumBytes: number): string {
  const between = encodeURI(separator);
  const more = (count: number) => encodeURI(`+${count} more`);
  let value = '';
  for (const [index, text] of texts.entries()) {
    const start = value && value + between;
    const longer = start + encodeURI(text);
    const rest = texts.length - index - 1;
    const room = maximumBytes - (rest > 0 ? between.length + more(rest).length : 0);
    if (longer.length > room) return start + more(rest + 1);
    value = longer;
  }
  return value;
}
