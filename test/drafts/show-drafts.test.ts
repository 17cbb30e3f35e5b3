import { describe, expect, test } from 'vitest';
import { runCampaign } from '../live/campaign.ts';
import type { Dialect } from '../naive/snapshot.ts';
import { caseCount } from '../support/cases.ts';

const seed = Number(process.env.LECTERN_SEED || 20261123);

describe.each<Dialect>(['document', 'strapi'])('in the dialect %s', (dialect) => {
  test('content that shows drafts answers as if they were published', { timeout: 600_000 }, async () => {
    const sample = { repeated: 10, asked: 10, drawn: 5 };
    const options = { dialect, contents: caseCount(20, 3), changes: 12, sample, showsDrafts: true };
    const { compared, failure } = await runCampaign(options, seed);
    if (failure !== null) throw new Error(failure);
    expect(compared).toBeGreaterThan(options.contents * 10);
  });
});
