/** What gatsby-source-strapi makes of the content that it fetches. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import stringify from 'fast-json-stable-stringify';

export type Node = Record<string, unknown> & { id: string; internal: { type: string } };

/** The nodes that the plugin would give to Gatsby, by their ids. Throws where it would end the build. */
export async function gatsbyNodes(api: string, accessToken: string, modules: string): Promise<Map<string, Node>> {
  const require = createRequire(join(modules, 'x.js'));
  const { sourceNodes } = require('gatsby-source-strapi/dist/gatsby-node.js');
  const headers = { Authorization: `Bearer ${accessToken}` };
  const types = await fetch(`${api}/api/content-type-builder/content-types`, { headers });
  if (!types.ok) throw new Error(`Gatsby cannot read the content types: ${types.status}`);
  const { data } = (await types.json()) as { data: { uid: string; schema: { kind: string; singularName: string } }[] };
  const named = (kind: string) =>
    data
      .filter(({ uid, schema }) => uid.startsWith('api::') && schema.kind === kind)
      .map(({ schema }) => schema.singularName);

  const nodes = new Map<string, Node>();
  const cache = new Map<string, unknown>();
  const fail = (message: string, error?: Error) => {
    throw new Error(`gatsby-source-strapi ends the build: ${message} ${error?.message ?? ''}`);
  };
  await sourceNodes(
    {
      actions: { createNode: (node: Node) => nodes.set(node.id, node), touchNode() {}, deleteNode() {} },
      createContentDigest: () => '',
      createNodeId: (name: string) => name,
      reporter: { info() {}, warn() {}, error: fail, panic: fail, panicOnBuild: fail },
      cache: {
        get: async (key: string) => cache.get(key),
        set: async (key: string, value: unknown) => cache.set(key, value),
      },
      getCache: () => cache,
      store: {},
      getNodes: () => Array.from(nodes.values()),
      getNode: (id: string) => nodes.get(id),
    },
    {
      apiURL: api,
      accessToken,
      collectionTypes: named('collectionType'),
      singleTypes: named('singleType'),
      skipFileDownloads: true,
    },
  );
  return nodes;
}

/**
 * A node as text, without what depends on the order of keys in a reply. Strapi populates relations at the same time,
 * and each key stands where its query ended. The parent of a picture is the node that named it last.
 */
export function textOf(node: Node | undefined): string {
  if (!node) return 'no node';
  const { content, ...internal } = node.internal as { type: string; content?: string };
  const parent = internal.type === 'STRAPI__MEDIA' ? undefined : node.parent;
  return stringify({ ...node, parent, internal: { ...internal, content: content && parsed(content) } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
