import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../property/arbitraries.ts';
import { addressOf, openCase } from '../../property/engine.ts';
import { caseCount } from '../../support/cases.ts';
import { Judge } from './judge.ts';

/** Random schemas, roles and queries: what is answered fits the document of the caller. */

const seed = Number(process.env.LECTERN_SEED || 20261125);
const runs = caseCount(20, 6);

test.each(['document', 'strapi'] as const)('documents fit random requests in the dialect %s', async (dialect) => {
  const options = { dialect, requests: 10, withRoles: true };
  let answered = 0;
  for (const value of fc.sample(cases(options), { numRuns: runs, seed })) {
    const content = await openCase(value);
    const judges = new Map<string | undefined, Judge>();
    for (const request of value.requests) {
      const address = addressOf(request);
      if (address === null) continue;
      const { role } = request;
      const judge = judges.get(role) ?? new Judge(content.openApi({ role }));
      judges.set(role, judge);
      const authorization = role === 'public' ? undefined : `Bearer token-${role ?? 'everything'}`;
      const { status, body } = await content.answer(address, { authorization });
      const [path, query = ''] = address.slice('/api'.length).split('?');
      const template = judge.templateOf(path);
      if (template === null) {
        expect(status, `seed ${seed}: ${address}`).toBe(403);
        continue;
      }
      answered++;
      const where = `seed ${seed}, role ${role}: ${decodeURIComponent(address)}`;
      expect(judge.faultsOfReply(template, status, JSON.parse(body.toString())), where).toEqual([]);
      // the document of a role does not name the relations that it may not read
      if (status === 200 && role === undefined) expect(judge.faultsOfQuery(template, query), where).toEqual([]);
    }
  }
  expect(answered).toBeGreaterThan(runs * 5);
});
