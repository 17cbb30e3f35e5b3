import { describe, expect, test } from 'vitest';
import { caseCount } from '../support/cases.ts';
import { askedFeatures as features } from '../support/features.ts';
import { type CampaignOptions, runCampaign } from './campaign.ts';

const seed = Number(process.env.LECTERN_SEED || 20261122);

const contents = caseCount(20, 5);
const blocks: readonly (readonly [string, Pick<CampaignOptions, 'dialect' | 'database' | 'features' | 'contents'>])[] =
  [
    ['in the dialect document', { dialect: 'document', contents }],
    ['in the dialect strapi', { dialect: 'strapi', contents }],
    ['by the rules of SQLite', { dialect: 'strapi', database: 'sqlite', contents: caseCount(12, 3) }],
    ['by the rules of MySQL', { dialect: 'strapi', database: 'mysql', contents: caseCount(12, 3) }],
    ['with features', { dialect: 'document', features, contents: caseCount(20, 3) }],
    ['with features in the dialect strapi', { dialect: 'strapi', features, contents: caseCount(20, 3) }],
  ];

describe.each(blocks)('%s', (_, block) => {
  test('changed content answers as the same content opened afresh', { timeout: 600_000 }, async () => {
    const options = { ...block, changes: 12, sample: { repeated: 10, asked: 10, drawn: 5 } };
    const { compared, failure } = await runCampaign(options, seed);
    if (failure !== null) throw new Error(failure);
    expect(compared).toBeGreaterThan(options.contents * 10);
  });
});
