import type { SnapshotType } from '../../model/schema/type-definition.ts';
import { describeComponent, describeContentType, isVisible, kindOf } from './describe-types.ts';

/** Asks for all content types or all components, or for the one with a uid. */
export interface SchemaRequest {
  readonly describes: 'content-types' | 'components';
  readonly uid?: string;
  /** The parameter `kind`, as it was parsed. */
  readonly kind?: unknown;
}

interface SchemaReply {
  readonly status: 200 | 400 | 404;
  readonly body: Buffer;
}

const kinds = ['singleType', 'collectionType'];

/** Answers the read routes of the content-type builder, with types in the order of the snapshot. */
export class SchemaReplies {
  readonly #types: readonly SnapshotType[];

  constructor(types: readonly SnapshotType[]) {
    this.#types = types;
  }

  answer({ describes, uid, kind }: SchemaRequest): SchemaReply {
    return describes === 'components' ? this.#components(uid) : this.#contentTypes(uid, kind);
  }

  #components(uid: string | undefined): SchemaReply {
    const components = this.#types.filter(({ component }) => component);
    if (uid === undefined) return found(components.map(describeComponent));
    const component = components.find((type) => type.uid === uid);
    return component ? found(describeComponent(component)) : failed(404, 'component.notFound');
  }

  #contentTypes(uid: string | undefined, kind: unknown): SchemaReply {
    const types = this.#types.filter(({ component }) => !component);
    if (uid !== undefined) {
      const type = types.find((each) => each.uid === uid);
      return type && isVisible(type) ? found(describeContentType(type)) : failed(404, 'contentType.notFound');
    }
    if (kind !== undefined && !kinds.includes(kind as string)) return failed(400, wrongKind(kind));
    return found(types.filter((type) => kind === undefined || kindOf(type) === kind).map(describeContentType));
  }
}

function found(data: object): SchemaReply {
  return { status: 200, body: Buffer.from(JSON.stringify({ data })) };
}

/** These routes have their own error format. */
function failed(status: 400 | 404, error: unknown): SchemaReply {
  return { status, body: Buffer.from(JSON.stringify({ error })) };
}

function wrongKind(value: unknown): object {
  const name = 'ValidationError';
  const message = `this must be one of the following values: ${kinds.join(', ')}`;
  return { name, message, details: { errors: [{ path: [], message, name, value }] } };
}
