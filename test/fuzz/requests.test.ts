import { expect, test } from 'vitest';
import { caseCount } from '../support/cases.ts';
import { guideFolder } from '../support/guide.ts';
import { describeRequests, runRequests } from './request-campaign.ts';

const count = caseCount(2500, 800);

test.each(['document', 'strapi'] as const)(
  `${count} requests by grammar and by bytes are answered or rejected, never failed (%s)`,
  async (dialect) => {
    const outcome = await runRequests({ snapshot: guideFolder, dialect, firstSeed: 1, count });
    expect(describeRequests(outcome)).toBe('');
    expect(outcome.asked).toBe(count);
    expect(outcome.isAlive).toBe(true);
    // the requests reach every kind of reply
    for (const status of [200, 400, 404, 405, 414])
      expect(outcome.statuses.get(status), `${status}`).toBeGreaterThan(0);
  },
);
