/** Hostile requests generated from a seed: by the grammar of queries, by bytes, and by both. */

import { Random } from '../../bench/random.ts';
import { QueryGrammar, readModel } from '../worst/query-grammar.ts';

/** A request without a body. In `target` each character is one byte. */
export interface FuzzRequest {
  method: string;
  target: string;
  headers: string[];
}

const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'BREW', 'get'];

const paths = [
  ...[
    '/',
    '/_health',
    '/_ready',
    '/_metrics',
    '/api',
    '/api/',
    '//api//restaurants',
    '/api/restaurants/',
    '/API/restaurants',
  ],
  ...[
    '/api/../api/restaurants',
    '/api/%2e%2e/restaurants',
    '/api/restaurants%2Flodz',
    '/api/%00',
    '/api/%',
    '/api/%C0%AF',
  ],
  ...[
    '/api/__proto__',
    '/api/constructor',
    '/api/restaurants/toString',
    '/api/users/me',
    '/api/users/-1',
    '/api/users/1e999',
  ],
  ...['/api/users/count', '/api/upload/files/9999999999999999', '/api/i18n/locales', '/api/users-permissions/roles/x'],
  ...[
    'http://other.example/api/restaurants',
    '*',
    '?',
    '/api/restaurants?',
    '/api/restaurants??',
    '/api/homepage',
    '/api/licences',
  ],
];

/** Texts that are hard to parse. */
const splinters = [
  ...[
    '%',
    '%0',
    '%00',
    '%zz',
    '%C0%AF',
    '%ED%A0%80',
    '%EF%BF%BF',
    '%F4%90%80%80',
    '%5B',
    '%5D',
    '%26',
    '%3D',
    '%25%35%42',
    '%0D%0A',
  ],
  ...[
    '[',
    ']',
    '][',
    '[]',
    '[[',
    ']]',
    '[0]',
    '[-1]',
    '[99999999]',
    '[1e3]',
    '[$or]',
    '[$and]',
    '[$not]',
    '[$in]',
    '[$null]',
    '[$eq]',
  ],
  ...[
    '&',
    '=',
    '==',
    '&&',
    '+',
    ';',
    ',',
    '.',
    '..',
    ':',
    '*',
    '?',
    '#',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '$',
    '{',
    '}',
    '|',
    '^',
    '~',
  ],
  ...[
    '__proto__',
    '[__proto__]',
    'constructor',
    '[constructor][prototype]',
    'toString',
    'hasOwnProperty',
    'filters',
    'populate',
    'sort',
  ],
  ...[
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '-0',
    '1e400',
    '9007199254740993',
    '0x10',
    'true',
    'false',
    '2020-02-30',
    '24:00:00',
  ],
  ...['\u00ff', '\u0080', '\u00c3', '\u0001', '\u007f', ' ', '\t', '%F0%9F%8D%95', '%C4%B0', '%00%00'],
];

const headerLines = [
  ...[
    'Authorization: Bearer all',
    'Authorization: Bearer wrong',
    'Authorization: Basic YTpi',
    'Authorization: Bearer a.b.c',
    'Authorization:',
  ],
  ...[
    'If-None-Match: *',
    'If-None-Match: "x", W/"y"',
    'If-None-Match: ,,,"',
    'Range: bytes=0-1',
    'Accept-Encoding: br;q=0, gzip',
    'Accept-Encoding: *',
  ],
  ...[
    'Strapi-Response-Format: v4',
    'X-Lectern-Explain: 1',
    'X-Lectern-At-Least: 0-0',
    'X-Lectern-At-Least: \u00ff',
    'Accept: text/html',
    'Origin: null',
    'Expect: 100-continue',
  ],
  ...[
    'X-Forwarded-For: 1.2.3.4, a',
    'Cookie: a=b',
    'Content-Length: 0',
    'If-Modified-Since: yesterday',
    'X: \u00ff\u00fe',
  ],
];

export class RequestFuzz {
  readonly #model: ReturnType<typeof readModel>;

  /** `snapshot` is the folder of the JSON snapshot whose names are used. */
  constructor(snapshot: string) {
    this.#model = readModel(snapshot);
  }

  /** Request number `seed`. */
  request(seed: number): FuzzRequest {
    const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995);
    const method = random.next() < 0.93 ? 'GET' : random.pick(methods);
    const headers = Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, () => random.pick(headerLines));
    if (random.next() < 0.5) headers.unshift('Authorization: Bearer all');
    if (random.next() < 0.002) headers.push(`X-Long: ${'x'.repeat(random.pick([16_300, 17_000, 40_000]))}`);
    return { method, target: oneLine(this.#target(random)), headers };
  }

  #target(random: Random): string {
    const kind = random.next();
    if (kind < 0.05) return mutated(random.pick(paths), random, random.integer(0, 2));
    if (kind < 0.1) return `/api/restaurants?${bytes(random, random.integer(0, 200))}`;
    if (kind < 0.12) return `/api/restaurants?${repeated(random)}`;
    const grammar = new QueryGrammar(this.#model, random);
    let query = grammar.query();
    for (let change = random.integer(0, 3); change > 0; change--) query = grammar.changed(query);
    const path = `/api/${grammar.url(query)}`;
    if (kind < 0.4) return encodeURI(path).replaceAll('%25', '%');
    if (kind < 0.5) return encodeURIComponent(path).replaceAll('%2F', '/').replace('%3F', '?');
    return mutated(encodeURI(path).replaceAll('%25', '%'), random, random.integer(1, 6));
  }
}

/** The request as bytes. */
export function bytesOf({ method, target, headers }: FuzzRequest): Buffer {
  return Buffer.from(`${[`${method} ${target} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`, 'latin1');
}

function mutated(text: string, random: Random, times: number): string {
  let result = text;
  for (let i = 0; i < times; i++) {
    const at = random.integer(0, result.length);
    const end = Math.min(result.length, at + random.integer(0, 12));
    const part = result.slice(at, end);
    switch (random.integer(0, 6)) {
      case 0:
        result = result.slice(0, at) + result.slice(end);
        break;
      case 1:
        result = result.slice(0, end) + part.repeat(random.pick([1, 2, 50])) + result.slice(end);
        break;
      case 2:
        result = result.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + result.slice(at + 1);
        break;
      case 3:
        result =
          result.slice(0, at) +
          [...part].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('') +
          result.slice(end);
        break;
      case 4:
        result = result.replace(random.pick(['[', ']', '=', '&', '$', '?']), random.pick(splinters));
        break;
      default:
        result = result.slice(0, at) + random.pick(splinters) + result.slice(at);
    }
  }
  return result.slice(0, 40_000);
}

function bytes(random: Random, length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => random.integer(0, 255)));
}

/** Queries around every limit on size, number and depth. */
function repeated(random: Random): string {
  const splinter = random.pick(splinters);
  const count = random.pick([19, 20, 21, 100, 101, 999, 1000, 1001, 4000]);
  const part = random.pick([
    splinter,
    `a${splinter}=1&`,
    `filters[${splinter}]`,
    `[${splinter}]`,
    `sort=${splinter}&`,
    `populate[${splinter}]=*&`,
  ]);
  return (random.pick(['', 'filters', 'populate', 'sort=', 'fields=', '_q=', 'populate=']) + part.repeat(count)).slice(
    0,
    20_000,
  );
}

/** Removes line breaks, which would split the request. */
function oneLine(target: string): string {
  return target.replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
