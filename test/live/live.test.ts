import { describe, expect, test } from 'vitest';
import type { Dialect } from '../naive/snapshot.ts';
import { caseCount } from '../support/cases.ts';
import { runCampaign } from './campaign.ts';

const seed = Number(process.env.LECTERN_SEED || 20261122);

describe.each<Dialect>(['document', 'strapi'])('in the dialect %s', (dialect) => {
  test('changed content answers as the same content opened afresh', { timeout: 600_000 }, async () => {
    const options = {
      dialect,
      contents: caseCount(30, 10),
      changes: 12,
      sample: { repeated: 10, asked: 10, drawn: 5 },
    };
    const { compared, failure } = await runCampaign(options, seed);
    if (failure !== null) throw new Error(failure);
    expect(compared).toBeGreaterThan(options.contents * 10);
  });
});
