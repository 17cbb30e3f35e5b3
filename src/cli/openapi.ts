import { writeFileSync } from 'node:fs';
import type { Content } from '../content/content.ts';
import { openContent } from '../content/open.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { printJson } from './report.ts';

export interface OpenApiFlags {
  /** The role of the caller. Without it, the caller may read everything that is not private. */
  readonly role?: string;
  /** Where the document goes. Default: to the output. */
  readonly out?: string;
}

/** Loads a snapshot and writes the OpenAPI document of its content. */
export async function openapi(snapshot: string, settings: SourcedConfig, { role, out }: OpenApiFlags): Promise<void> {
  const content = await openSource(snapshot, settings);
  const document = content.openApi({ role });
  if (out === undefined) return printJson(document);
  writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`);
  console.log(`wrote ${out}`);
}

function openSource(snapshot: string, { config, sourceOf }: SourcedConfig): Promise<Content> {
  return openContent(snapshot, { ...config, uploads: false }, sourceOf);
}
