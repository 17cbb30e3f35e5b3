/** A query in the forms that people copy. A token is never part of them. */
import type { RouteDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import type { ExploredQuery } from '../query/explored-query.ts';
import { type CodeValue, printCode, quoted } from './print-code.ts';
import { queryObject } from './query-object.ts';

export const copyForms = ['URL', 'curl', 'fetch', 'client'] as const;

export type CopyForm = (typeof copyForms)[number];

/** What is copied. */
export interface CopiedQuery {
  readonly query: ExploredQuery;
  readonly schema: SchemaDescription;
  readonly type: TypeDescription | null;
  readonly route: RouteDescription | null;
  /** The address of the API, with the prefix: `https://example.org/api`. */
  readonly apiUrl: string;
  /** The URL below the prefix. */
  readonly url: string;
  readonly hasToken: boolean;
  /** The role to read as. Empty: the caller's own. */
  readonly role: string;
}

/** Stands in the place of the token. */
const tokenName = '$LECTERN_TOKEN';

/** Prints a query in a form. */
export function printCopy(form: CopyForm, copied: CopiedQuery): string {
  const address = `${copied.apiUrl}/${copied.url}`;
  switch (form) {
    case 'URL':
      return address;
    case 'curl':
      return printCurl(address, copied);
    case 'fetch':
      return printFetch(address, copied);
    case 'client':
      return printClient(copied);
    default:
      return form satisfies never;
  }
}

/** `-g`, because curl would read brackets as ranges. */
function printCurl(address: string, { hasToken, role }: CopiedQuery): string {
  const headers = [
    ...(hasToken ? [`-H "Authorization: Bearer ${tokenName}"`] : []),
    ...(role === '' ? [] : [`-H ${shellQuoted(`X-Lectern-Role: ${role}`)}`]),
  ];
  return ['curl -g', ...headers, shellQuoted(address)].join(' ');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function printFetch(address: string, copied: CopiedQuery): string {
  const headers = headersOf(copied);
  const options = Object.keys(headers).length === 0 ? '' : `, ${printCode({ headers })}`;
  return `const response = await fetch(${quoted(address)}${options});\nconst { data, meta } = await response.json();`;
}

function headersOf({ hasToken, role }: CopiedQuery): Readonly<Record<string, string>> {
  return {
    ...(hasToken && { Authorization: `Bearer ${tokenName}` }),
    ...(role !== '' && { 'X-Lectern-Role': role }),
  };
}

/** The types come from `lectern types`. */
function printClient(copied: CopiedQuery): string {
  const { query, schema, type, route, apiUrl, url, hasToken, role } = copied;
  const options: CodeValue = {
    url: apiUrl,
    ...(hasToken && { token: tokenName }),
    ...(role !== '' && { headers: { 'X-Lectern-Role': role } }),
  };
  const isDocument = route?.kind === 'document' || route?.kind === 'entry';
  const parts = query.path.split('/').map(decodeURIComponentSafely);
  const name = isDocument ? parts.slice(0, -1).join('/') : parts.join('/');
  const object = queryObject(query, schema, type);
  if (!object) return `// The client cannot write this notation.\n${printFetch(`${apiUrl}/${url}`, copied)}`;
  const given = [
    quoted(name),
    ...(isDocument ? [quoted(parts[parts.length - 1])] : []),
    ...(Object.keys(object).length === 0 ? [] : [printCode(object)]),
  ];
  return [
    "import { createClient } from 'lectern/client';",
    "import type { Schema } from './content';",
    '',
    `const client = createClient<Schema>(${printCode(options)});`,
    `const { data, meta } = await client.${isDocument ? 'findOne' : 'find'}(${given.join(', ')});`,
  ].join('\n');
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
