import type { TypeDescription } from '../../src/description/describe-schema.ts';
import type { ExploredSchema } from '../../src/explorer/state/explored.ts';
import { typeOf } from '../../src/explorer/state/schema-index.ts';
import { openShared } from '../support/open-shared.ts';

/** The schema of the demo content, as `/_schema.json` describes it. */
export async function describedDemo(): Promise<ExploredSchema> {
  const content = await openShared('data/demo');
  const server = { prefix: '/api', explain: true, hasFullAccess: false, roles: [], name: '', base: '', mediaUrl: null };
  return { ...content.describeSchema(), ...server };
}

/** Returns a type of the demo content. */
export function demoType(schema: ExploredSchema, name: string): TypeDescription {
  return typeOf(schema, `api::${name}.${name}`)!;
}
