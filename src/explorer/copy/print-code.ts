/** Values as code of JavaScript. */

/** A value of code: text, numbers, lists, objects. */
export type CodeValue =
  | string
  | number
  | boolean
  | null
  | readonly CodeValue[]
  | { readonly [name: string]: CodeValue };

const lineLength = 80;

/** Prints a value as code: on one line if it fits. */
export function printCode(value: CodeValue, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(
    ([name, inner]) => (isList ? '' : `${literalName(name)}: `) + printCode(inner as CodeValue, `${indent}  `),
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  const line = members.join(', ');
  if (indent.length + line.length < lineLength && !line.includes('\n')) return isList ? `[${line}]` : `{ ${line} }`;
  return `${open}\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}${close}`;
}

function literalName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name);
}

/** Returns a text as a literal of JavaScript. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
