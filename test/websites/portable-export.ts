/** An export as a Strapi without paid features imports it: review workflows, which it does not have, are left out. */
import { createReadStream, createWriteStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack } from 'tar-stream';

const attributes = new Set(['strapi_stage', 'strapi_assignee']);
const isWorkflow = (uid: unknown) => typeof uid === 'string' && uid.startsWith('plugin::review-workflows.');

export async function writePortableExport(source: string, target: string): Promise<void> {
  const input = extract();
  const output = pack();
  const reading = pipeline(createReadStream(source), createGunzip(), input);
  const writing = pipeline(output, createGzip(), createWriteStream(target));
  for await (const entry of input) {
    const { name, type } = entry.header;
    if (type === 'file' && /^(schemas|entities|links)\/.*\.jsonl$/.test(name)) {
      const lines = (await text(entry)).split('\n').filter((line) => line !== '');
      const kept = lines.map((line) => keep(JSON.parse(line))).filter((value) => value !== null);
      output.entry({ name }, kept.map((value) => `${JSON.stringify(value)}\n`).join(''));
    } else {
      // streams to the archive need the length of what comes; assets have it
      await pipeline(entry, output.entry({ name, type, size: entry.header.size }));
    }
  }
  output.finalize();
  await Promise.all([reading, writing]);
}

/** A schema, an entity or a link without what belongs to review workflows; null if all of it does. */
function keep(value: any): object | null {
  if (isWorkflow(value.uid) || isWorkflow(value.type)) return null;
  if (isWorkflow(value.left?.type) || isWorkflow(value.right?.type)) return null;
  if (attributes.has(value.left?.field) || attributes.has(value.right?.field)) return null;
  if (value.attributes) {
    const rest = Object.entries(value.attributes).filter(([name]) => !attributes.has(name));
    return { ...value, attributes: Object.fromEntries(rest) };
  }
  return value;
}
