import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StrapiClient } from './clients.ts';
import type { Finding } from './comparison.ts';

const apiToken = 'admin::api-token';
/** That of the project. */
const salt = 'museum-api-token-salt';
/** Milliseconds after which a change counts as lost. */
const longest = 20_000;

/** Makes an API token in Strapi, which Lectern has to accept, and deletes it. Returns how long both take. */
export async function changeToken(strapi: StrapiClient, lectern: string): Promise<Finding> {
  const text = randomUUID();
  const accessKey = createHmac('sha512', salt).update(text).digest('hex');
  const data = { name: text, description: '', type: 'full-access', accessKey };
  const becomes = async (status: number): Promise<number | null> => {
    for (const start = performance.now(); performance.now() - start < longest; await sleep(4)) {
      const reply = await fetch(`${lectern}/api/tags`, { headers: { authorization: `Bearer ${text}` } });
      await reply.arrayBuffer();
      if (reply.status === status) return performance.now() - start;
    }
    return null;
  };
  const { id } = (await strapi.act(apiToken, 'create', { data }, true)) as { id: number };
  const accepted = await becomes(200);
  await strapi.act(apiToken, 'delete', { where: { id } }, true);
  const rejected = await becomes(401);
  const after = (time: number | null) => (time === null ? 'not at all' : `after ${Math.round(time)} ms`);
  return {
    text: `a new API token is accepted ${after(accepted)}, and rejected after its deletion ${after(rejected)}`,
    report: { accepted, rejected },
    failures: [accepted, rejected].filter((time) => time === null).length,
  };
}
