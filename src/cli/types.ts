import { readFile } from 'node:fs/promises';
import { writeAtomically } from '../core/write-file.ts';
import { typesHead, typesOf } from '../description/typescript.ts';
import type { Flags } from './flags.ts';
import { readSchema, type SchemaFlags } from './read-schema.ts';
import { Failure } from './report.ts';

export interface TypesFlags extends SchemaFlags {
  /** The file to write. Default: the types are printed. */
  readonly out?: string;
  /** The role whose rights decide. By default, all that is not private is described. */
  readonly role?: string;
}

/** Writes the types of the content of a source, and again after each change of its schema if it is watched. */
export async function types(source: string | undefined, given: Flags, flags: TypesFlags): Promise<void> {
  const { out, role, ...schemaFlags } = flags;
  if (out === undefined && schemaFlags.watch) throw new Failure('--watch: name the file to write with --out');
  if (out !== undefined) await checkOverwritten(out);
  let written: string | null = null;
  await readSchema(source, given, schemaFlags, async (content) => {
    const text = typesOf(content.describeSchema({ role }));
    if (text === written) return;
    if (out === undefined) process.stdout.write(text);
    else await writeAtomically(out, [Buffer.from(text)]);
    written = text;
    if (out !== undefined) console.log(`Wrote ${out}`);
  });
}

/** Throws a Failure for a file that this command did not write: a wrong argument must not overwrite code. */
async function checkOverwritten(out: string): Promise<void> {
  const text = await readFile(out, 'utf8').catch(() => '');
  if (text === '' || text.startsWith(typesHead)) return;
  throw new Failure(`${out} exists, and "lectern types" did not write it. Remove it or choose another --out`);
}
