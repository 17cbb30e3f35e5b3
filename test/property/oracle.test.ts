import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../support/cases.ts';
import { askedFeatures as features } from '../support/features.ts';
import type { CaseOptions } from './arbitraries.ts';
import { describeFailure, type Regression, runCampaign } from './campaign.ts';
import { compareCase } from './engine.ts';

const folder = new URL('./regressions/', import.meta.url);
const regressions = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('regressions', () => {
  test.each(regressions)('%s', async (file) => {
    const { snapshot, dialect, database, features, ...request } = JSON.parse(
      readFileSync(new URL(file, folder), 'utf8'),
    ) as Regression;
    const difference = await compareCase({ snapshot, dialect, database, features, requests: [request] }, () => {});
    expect(difference?.found).toEqual(difference?.expected);
  });

  test('are found in their folder', () => expect(readdirSync(folder)).toContain('README.md'));
});

/** Seed of the first block. Each block adds its position. */
const seed = Number(process.env.LECTERN_SEED || 20261120);
/** Snapshots of each block. */
const runs = Number(process.env.LECTERN_RUNS || caseCount(60, 20));
const requests = 20;

const blocks: [string, CaseOptions][] = [
  ['document dialect', { dialect: 'document', requests, withRoles: false }],
  ['document dialect with roles', { dialect: 'document', requests, withRoles: true }],
  ['strapi dialect', { dialect: 'strapi', requests, withRoles: false }],
  ['strapi dialect with roles', { dialect: 'strapi', requests, withRoles: true }],
  ['rules of SQLite', { dialect: 'strapi', database: 'sqlite', requests, withRoles: false }],
  ['rules of SQLite, document dialect', { dialect: 'document', database: 'sqlite', requests, withRoles: false }],
  ['rules of MySQL', { dialect: 'strapi', database: 'mysql', requests, withRoles: false }],
  ['rules of MySQL, document dialect', { dialect: 'document', database: 'mysql', requests, withRoles: false }],
  ['features', { dialect: 'document', features, requests, withRoles: true }],
  ['features, strapi dialect', { dialect: 'strapi', features, requests, withRoles: true }],
  ['features by the rules of SQLite', { dialect: 'strapi', database: 'sqlite', features, requests, withRoles: false }],
  ['features by the rules of MySQL', { dialect: 'document', database: 'mysql', features, requests, withRoles: false }],
];

/** Replies compared. */
let total = 0;

describe('every reply equals that of the naive evaluator', () => {
  test.each(blocks)('%s', { timeout: 600_000 }, async (_, options) => {
    const position = blocks.findIndex(([, other]) => other === options);
    const { compared, failure } = await runCampaign(options, seed + position, runs);
    if (failure) throw new Error(describeFailure(options, failure));
    // each request once by the library, and every third with a URL also by its URL; for a few, the documents do not
    // determine the reply
    expect(compared).toBeGreaterThanOrEqual(runs * requests * (options.features ? 1.1 : 1.2));
    expect(compared).toBeLessThanOrEqual(runs * (requests + Math.ceil(requests / 3)));
    total += compared;
  });

  test('at least five thousand replies are compared with all cases', () => {
    expect(total).toBeGreaterThanOrEqual((5000 * Math.min(runs, 60)) / 60);
  });
});
