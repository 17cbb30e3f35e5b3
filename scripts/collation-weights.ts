/**
 * Writes src/model/collations/weight-tables.ts: the weights of characters in collations of MySQL and MariaDB.
 *
 *     npx tsx scripts/collation-weights.ts FOLDER
 *
 * FOLDER has a file NAME.txt for each collation below, with a line for each code point from 1 to 131071: the code point, a
 * tab, and the weights as a server gives them, HEX(WEIGHT_STRING(character COLLATE NAME)). MariaDB 10.11 has all of them but
 * utf8mb4_0900_ai_ci, which is of MySQL.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defaultWeights, writtenCodePoints } from '../src/model/collations/weights.ts';

const names = ['general', 'unicode', 'unicode_520', '0900_ai', 'uca1400_ai'];

const folder = process.argv[2];
if (folder === undefined) {
  console.error('give the folder of the weights');
  process.exit(2);
}

/** Zigzag differences in 7 bits a byte. */
function write(bytes: number[], value: number): void {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
}

function tableOf(name: string): string {
  const counts: number[] = [];
  const weights: number[] = [];
  let lastCodePoint = 0;
  let last = 0;
  for (const line of readFileSync(join(folder!, `utf8mb4_${name}_ci.txt`), 'utf8').split('\n')) {
    if (line === '') continue;
    const [codePoint, hex = ''] = line.split('\t');
    const found = Array.from({ length: hex.length / 4 }, (_, i) => Number.parseInt(hex.slice(4 * i, 4 * i + 4), 16));
    const at = Number(codePoint);
    if (at >= writtenCodePoints || String(found) === String(defaultWeights(name, at))) continue;
    write(counts, at - lastCodePoint);
    write(counts, found.length);
    lastCodePoint = at;
    for (const weight of found) {
      write(weights, weight - last);
      last = weight;
    }
  }
  write(counts, 0);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const bytes = brotliCompressSync(Uint8Array.from([...counts, ...weights]), { params });
  console.log(`${name}: ${bytes.length} bytes`);
  return `  '${name}':\n    '${bytes.toString('base64')}',`;
}

writeFileSync(
  new URL('../src/model/collations/weight-tables.ts', import.meta.url),
  `/** Written by scripts/collation-weights.ts. The weights of characters, as weights.ts reads them, by collation. */
export const weightTables = {
${names.map(tableOf).join('\n')}
};
`,
);
