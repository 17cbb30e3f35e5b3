/** Most bytes of a list in a header, and of a plan: proxies refuse replies whose headers take some KiB together. */
const mostListBytes = 1024;
const mostPlanBytes = 4096;

/**
 * Texts as the value of a header: separated by a comma and a blank, URI-encoded. If the list takes more than 1 KiB, the
 * value ends with the number of texts that are left out, such as `+12 more`.
 */
export function headerList(texts: readonly string[]): string {
  return cut(texts, ', ', mostListBytes);
}

/** The lines of a plan as the value of a header, cut in the same way at 4 KiB. */
export function headerPlan(plan: string): string {
  return cut(plan.split('\n'), '\n', mostPlanBytes);
}

function cut(texts: readonly string[], separator: string, mostBytes: number): string {
  const between = encodeURI(separator);
  const more = (count: number) => encodeURI(`+${count} more`);
  let value = '';
  for (const [index, text] of texts.entries()) {
    const start = value && value + between;
    const longer = start + encodeURI(text);
    const rest = texts.length - index - 1;
    const room = mostBytes - (rest > 0 ? between.length + more(rest).length : 0);
    if (longer.length > room) return start + more(rest + 1);
    value = longer;
  }
  return value;
}
