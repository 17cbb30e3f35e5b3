import { z } from 'zod';

const pluginPost = z.strictObject({
  /** A process of Strapi has its own. */
  epoch: z.string().min(1).max(100),
  /** Counts the posts of an epoch from 0. */
  sequence: z.int().min(0),
  /** By uid: the documents that have changed. Null: any document of the type. */
  changes: z.record(z.string(), z.array(z.string().min(1)).nullable()),
});

/** What `strapi-plugin-lectern` posts after commits: where content has changed, and never the content. */
export type PluginPost = z.output<typeof pluginPost>;

/** Returns the post that a body is, or null for any other body, such as that of a webhook of Strapi. */
export function pluginPostOf(body: unknown): PluginPost | null {
  return pluginPost.safeParse(body).data ?? null;
}
