/** Throws if rows that are objects would lose a column or change the order of columns. */
export function checkColumnNames(names: readonly string[]): void {
  const wrong = names.find((name, i) => names.indexOf(name) < i || /^\d+$/.test(name) || name === '__proto__');
  if (wrong !== undefined) throw new Error(`The statement needs another name for the column ${wrong}.`);
}
