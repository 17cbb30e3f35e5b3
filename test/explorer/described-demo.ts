import type { TypeDescription } from '../../src/description/describe-schema.ts';
import type { SchemaReply } from '../../src/description/schema-reply.ts';
import { typeOf } from '../../src/explorer/state/schema-index.ts';
import { openShared } from '../support/open-shared.ts';

/** The schema of the demo content, as `/_schema.json` describes it. */
export async function describedDemo(): Promise<SchemaReply> {
  const content = await openShared('data/demo');
  const place = { prefix: '/api', explain: true, hasFullAccess: false, roles: [], name: '', base: '', mediaUrl: null };
  return { ...content.describeSchema(), ...place };
}

/** Returns a type of the demo content. */
export function demoType(schema: SchemaReply, name: string): TypeDescription {
  return typeOf(schema, `api::${name}.${name}`)!;
}
