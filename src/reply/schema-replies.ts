import {
  describeComponent,
  describeContentType,
  isVisible,
  kindOf,
  type WrittenType,
} from '../model/describe-types.ts';

/** What is described: all types of one sort, or the one with a uid. */
export interface SchemaRequest {
  readonly sort: 'content-types' | 'components';
  readonly uid?: string;
  /** The parameter `kind`, as it was parsed. */
  readonly kind?: unknown;
}

export interface SchemaReply {
  readonly status: 200 | 400 | 404;
  readonly body: Buffer;
}

const kinds = ['singleType', 'collectionType'];

/** The replies of the content-type builder's read routes, in the order of the snapshot. */
export class SchemaReplies {
  readonly #contentTypes: ReadonlyMap<string, WrittenType>;
  readonly #components: ReadonlyMap<string, WrittenType>;

  constructor(types: readonly WrittenType[]) {
    const byUid = (component: boolean) =>
      new Map(types.filter((type) => type.component === component).map((type) => [type.uid, type]));
    this.#contentTypes = byUid(false);
    this.#components = byUid(true);
  }

  answer({ sort, uid, kind }: SchemaRequest): SchemaReply {
    if (sort === 'components') {
      if (uid === undefined) return found(Array.from(this.#components.values(), describeComponent));
      const component = this.#components.get(uid);
      return component ? found(describeComponent(component)) : failed(404, 'component.notFound');
    }
    if (uid !== undefined) {
      const type = this.#contentTypes.get(uid);
      return type && isVisible(type) ? found(describeContentType(type)) : failed(404, 'contentType.notFound');
    }
    if (kind !== undefined && !kinds.includes(kind as string)) return failed(400, wrongKind(kind));
    const types = Array.from(this.#contentTypes.values()).filter((type) => kind === undefined || kindOf(type) === kind);
    return found(types.map(describeContentType));
  }
}

function found(data: object): SchemaReply {
  return { status: 200, body: Buffer.from(JSON.stringify({ data })) };
}

/** These routes have a form of their own for errors. */
function failed(status: 400 | 404, error: unknown): SchemaReply {
  return { status, body: Buffer.from(JSON.stringify({ error })) };
}

function wrongKind(value: unknown): object {
  const name = 'ValidationError';
  const message = `this must be one of the following values: ${kinds.join(', ')}`;
  return { name, message, details: { errors: [{ path: [], message, name, value }] } };
}
