import { writeFileSync } from 'node:fs';
import type { Flags } from './flags.ts';
import { readSchema } from './read-schema.ts';
import { printJson } from './report.ts';
import type { SourceFlags } from './sources.ts';

export interface OpenApiFlags extends SourceFlags {
  /** The role of the caller. Without it, the caller may read everything that is not private. */
  readonly role?: string;
  /** Where the document goes. Default: to the output. */
  readonly out?: string;
}

/** Writes the OpenAPI document of the content of a source. */
export async function openapi(source: string | undefined, given: Flags, flags: OpenApiFlags): Promise<void> {
  const { role, out, ...ofSource } = flags;
  await readSchema(source, given, ofSource, async (content) => {
    const document = content.openApi({ role });
    if (out === undefined) return printJson(document);
    writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`);
    console.log(`Wrote ${out}`);
  });
}
