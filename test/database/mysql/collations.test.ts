/** The keys of collations compare texts as a server does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collationOf } from '../../../src/model/collations/collation.ts';
import { readWeights } from '../../../src/model/collations/weights.ts';
import { Random } from '../../strapi/random.ts';
import { isMysql, MysqlServer } from './mysql-server.ts';

const tables = ['general', 'unicode', 'unicode_520', isMysql ? '0900_ai' : 'uca1400_ai'] as const;
const padded = tables.map((table) => `utf8mb4_${table}_ci`);
const collations = isMysql ? padded : [...padded, 'utf8mb4_unicode_nopad_ci', 'utf8mb4_uca1400_nopad_ai_ci'];

let server: MysqlServer;

beforeAll(async () => {
  server = await MysqlServer.start();
});

afterAll(() => server?.stop());

const literal = (text: string) => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;

test.each(tables)(
  'the weights of all characters of the Basic Multilingual Plane in %s are those of the server',
  (name) => {
    const characters = Array.from({ length: 0xffff }, (_, i) => i + 1).filter((at) => at < 0xd800 || at > 0xdfff);
    const rows = characters.map((at) => `(${at}, ${literal(String.fromCodePoint(at))})`);
    server.query(`CREATE TABLE strapi.${name}_c (n int primary key, c varchar(1) character set utf8mb4)`);
    for (let i = 0; i < rows.length; i += 10_000) {
      server.query(`INSERT INTO strapi.${name}_c VALUES ${rows.slice(i, i + 10_000).join()}`);
    }
    const found = server.query(
      `SELECT n, hex(weight_string(c COLLATE utf8mb4_${name}_ci)) FROM strapi.${name}_c ORDER BY n`,
    );
    const weights = readWeights(name);
    const hexOf = (at: number) => weights.of(at).map((weight) => weight.toString(16).toUpperCase().padStart(4, '0'));
    const expected = characters.map((at) => `${at}\t${hexOf(at).join('')}`);
    const lines = found.trimEnd().split('\n');
    expect(lines.length).toBe(characters.length);
    expect(lines.filter((line, i) => line !== expected[i])).toEqual([]);
  },
);

/** Characters that collations take for equal, ignore, or give several weights. */
const letters = [
  ...'aAbBeEéÉèßsSæÆøØoOłlLıiIİǅžŒœfﬁ ',
  ...' _-.\u00a0\u0301\u0308\u00adＡ日本⺜アあ가각😀🍕𐐀𐐨1½₂²',
  'ss',
  'ae',
];

describe.each(collations)('%s', (collation) => {
  test('compares random texts and parts of them as the server does', () => {
    const random = new Random(7);
    const text = () => Array.from({ length: random.integer(0, 4) }, () => random.pick(letters)).join('');
    const pairs = Array.from({ length: 4000 }, () => [text(), text()] as const);
    const escaped = (part: string) => part.replace(/[\\%_]/g, '\\$&');
    const rows = pairs.map(([one, other], i) => {
      const pattern = literal(`%${escaped(other)}%`);
      const start = literal(`${escaped(other)}%`);
      const [a, b] = [one, other].map((each) => `${literal(each)} COLLATE ${collation}`);
      return `SELECT ${i}, ${a} = ${b}, ${a} < ${b}, ${a} LIKE ${pattern}, ${a} LIKE ${start}`;
    });
    const { keys } = collationOf(collation);
    const differences: string[] = [];
    for (let first = 0; first < rows.length; first += 500) {
      const lines = server
        .query(rows.slice(first, first + 500).join(' UNION ALL '))
        .trimEnd()
        .split('\n');
      for (const line of lines) {
        const [i, ...found] = line.split('\t').map(Number);
        const [one, other] = pairs[i!]!;
        const [a, b] = [keys!.order(one), keys!.order(other)].map((key) => Buffer.from(key));
        const [whole, part] = [keys!.search(one), keys!.search(other)];
        const order = Buffer.compare(a!, b!);
        const expected = [order === 0, order < 0, whole.includes(part), whole.startsWith(part)].map(Number);
        if (String(found) !== String(expected))
          differences.push(`${JSON.stringify(pairs[i!])}: ${found} not ${expected}`);
      }
    }
    expect(differences).toEqual([]);
  });
});
