// Without its name in the setting `features`, what a feature adds to queries is answered as ever, whatever else is on.
import { describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { features } from '../naive/snapshot.ts';
import { openShared } from '../support/open-shared.ts';
import { refusals } from './refusals.ts';

async function told(content: Content, path: string): Promise<{ status: number; headers: object; body: string }> {
  const { status, headers, body } = await content.answerPath(path.replaceAll(' ', '%20'));
  const { 'X-Lectern-Version': _, ...rest } = headers;
  return { status, headers: rest, body: String(body) };
}

const parameters = /(fallbackLocale(\[\d\])?|language|folder)=[^&]*/g;

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test.each(features)('without %s', async (feature) => {
    const none = await openShared('data/demo', { dialect, public: true });
    const others = features.filter((name) => name !== feature);
    const all = await openShared('data/demo', { dialect, public: true, features: others });
    for (const [name, path, ofDocument, ofStrapi] of refusals) {
      if (name !== feature) continue;
      const message = dialect === 'document' ? ofDocument : ofStrapi;
      const found = await told(none, path);
      const said = JSON.parse(found.body).error?.message ?? null;
      expect([path, found.status, said]).toEqual([path, message === null ? 200 : 400, message]);
      expect({ path, ...(await told(all, path)) }).toEqual({ path, ...found });
      // a parameter that is not known has no effect
      if (message === null) expect((await told(none, path.replaceAll(parameters, ''))).body).toBe(found.body);
    }
  });
});
