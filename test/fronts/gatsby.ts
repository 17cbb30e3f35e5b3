/** What gatsby-source-strapi makes of the content that it fetches. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import stringify from 'fast-json-stable-stringify';

type Node = Record<string, unknown> & { id: string; internal: { type: string } };

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
      // like Gatsby's own, whatever the order of keys
      createContentDigest: (value: unknown) => stringify(value),
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
