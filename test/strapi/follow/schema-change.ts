import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StrapiClient } from './clients.ts';
import type { Comparison, Finding } from './comparison.ts';
import { awaitShown } from './freshness.ts';

/**
 * Adds an attribute to a type and to a component while Strapi is stopped, starts it, and gives the attribute a value.
 * Returns how long Lectern takes to show it, which is lost after `longest` milliseconds.
 */
export async function changeSchema(
  folder: string,
  comparison: Comparison,
  strapi: StrapiClient,
  longest: number,
  startStrapi: () => Promise<void>,
): Promise<Finding> {
  const parts = ['api/tag/content-types/tag/schema.json', 'components/detail/size.json'];
  for (const part of parts) {
    const file = join(folder, 'src', part);
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    schema.attributes.motto = { type: 'string' };
    writeFileSync(file, JSON.stringify(schema, null, 2));
  }
  await startStrapi();
  const created = await strapi.send('POST', '/api/tags', { data: { label: 'new', motto: 'festina lente' } });
  const answered = performance.now();
  const { documentId } = (created as { data: { documentId: string } }).data;
  const request = { kind: 'probe', caller: 'full', path: `/api/tags/${documentId}` };
  const { milliseconds, difference } = await awaitShown(request, answered, comparison, longest);
  const text =
    milliseconds === null
      ? `the changed schema is not shown: ${JSON.stringify(difference)}`
      : `the changed schema is shown after ${Math.round(milliseconds)} ms`;
  return { text, report: { milliseconds, difference }, failures: milliseconds === null ? 1 : 0 };
}
