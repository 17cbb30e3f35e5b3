import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Random } from '../../bench/random.ts';
import { byteBreakings } from './corruptions.ts';
import type { Files } from './small-snapshots.ts';

type Header = Parameters<ReturnType<typeof pack>['entry']>[0];

/** A tar archive of files and of further entries with arbitrary headers. */
export async function archiveOf(files: Files, others: Header[] = []): Promise<Buffer> {
  const archive = pack();
  for (const header of others) archive.entry(header, '');
  for (const [name, bytes] of files) archive.entry({ name }, bytes);
  archive.finalize();
  return buffer(archive);
}

const outside: Header[] = [
  { name: '../../outside.jsonl', type: 'file', size: 0 },
  { name: '/etc/lectern-outside', type: 'file', size: 0 },
  { name: 'schemas/../../outside.jsonl', type: 'file', size: 0 },
  { name: 'entities/entities_00009.jsonl', type: 'symlink', linkname: '/etc/passwd' },
  { name: 'schemas/schemas_00009.jsonl', type: 'link', linkname: '../../../etc/passwd' },
  { name: 'entities', type: 'directory' },
  { name: 'entities/device.jsonl', type: 'character-device' },
  { name: `${'d/'.repeat(100)}x`, type: 'file', size: 0 },
];

/** A broken archive, packed or not. */
export async function brokenArchive(files: Files, random: Random): Promise<{ bytes: Buffer; what: string }> {
  const others = random.next() < 0.3 ? [random.pick(outside)] : [];
  let bytes = await archiveOf(files, others);
  let what = others.length > 0 ? `an entry ${JSON.stringify(others[0])}` : '';
  const kinds = Object.keys(byteBreakings);
  if (random.next() < 0.3) {
    // a field of a header: name, size, checksum, type
    const header = 512 * random.integer(0, Math.floor(bytes.length / 512) - 1);
    const field = random.pick([0, 124, 148, 156, 257, 345]);
    bytes = Buffer.from(bytes);
    bytes.write(random.pick(['99999999999', '\0\0\0\0', 'x', '7', '-1']), header + field, 'latin1');
    what += ` a header at ${header + field}`;
  } else if (random.next() < 0.6) {
    const kind = random.pick(kinds);
    bytes = byteBreakings[kind](bytes, random);
    what += ` ${kind} in the archive`;
  }
  if (random.next() < 0.5) {
    bytes = gzipSync(bytes, { level: 1 });
    if (random.next() < 0.6) {
      const kind = random.pick(kinds);
      bytes = byteBreakings[kind](bytes, random);
      what += ` ${kind} in its packing`;
    }
  }
  return { bytes, what };
}
