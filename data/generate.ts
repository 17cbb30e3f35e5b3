/**
 * Writes a snapshot of invented content, of any size:
 *
 *     npx tsx data/generate.ts [--content magazine|links|pages] [--entries N] [--seed S] [--out FOLDER]
 *
 * Without arguments it writes the magazine in `data/demo`.
 */
import { readOptions } from './generator/options.ts';

try {
  const { write, out, entries, seed } = readOptions(process.argv.slice(2));
  const summary = write(out, entries, seed);
  const types = Object.entries(summary.entries).map(([type, count]) => `${count} ${type}`);
  console.log(`${out}: ${entries} entries, ${(summary.bytes / 1e6).toFixed(1)} MB (${types.join(', ')})`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
