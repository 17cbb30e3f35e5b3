/** Tables in documents: `<!-- bench NAME -->` and `<!-- end -->`, each on a line of its own, and what stands between them. */
const marked = /^(<!-- bench ([a-z ]+) -->\n)([\s\S]*?)^(<!-- end -->)$/gm;

export interface Rewritten {
  text: string;
  /** Names of the tables that were written. */
  written: string[];
  /** Names of the tables that stay as they are, because the results have no such part. */
  kept: string[];
}

/** Writes tables between their markers. A table that is null stays as it is. Throws an error for an unknown name. */
export function rewriteTables(text: string, tables: Record<string, string | null>, file: string): Rewritten {
  const written: string[] = [];
  const kept: string[] = [];
  const begun = text.match(/^<!-- bench .*-->$/gm) ?? [];
  const rewritten = text.replace(marked, (whole, begin: string, name: string, between: string, end: string) => {
    if (!(name in tables))
      throw new Error(`${file}: there is no table "${name}". Known are ${Object.keys(tables).join(', ')}.`);
    if (/^<!-- bench /m.test(between)) throw new Error(`${file}: the table "${name}" has no line <!-- end -->.`);
    const table = tables[name];
    if (table === null) {
      kept.push(name);
      return whole;
    }
    written.push(name);
    return `${begin}${table}\n${end}`;
  });
  if (written.length + kept.length < begun.length) {
    const names = begun.map((line) => line.slice('<!-- bench '.length, -' -->'.length));
    const missing = names.find((name) => !written.includes(name) && !kept.includes(name));
    throw new Error(`${file}: the table "${missing}" has no line <!-- end -->, or its name is malformed.`);
  }
  return { text: rewritten, written, kept };
}
