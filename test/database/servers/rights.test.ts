/** SELECT is the only right that a database has to give, and a missing one is named. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSnapshot } from '../../../src/load/load.ts';
import { type MuseumServer, museumAt, museumServers, tablesOf } from './museum-servers.ts';

const password = 'a-reader-Pa55word';

describe.each(museumServers)('%s', (_, start) => {
  let server: MuseumServer;
  let tables: string[];
  let readers = 0;

  beforeAll(async () => {
    server = await start();
    tables = await tablesOf(server);
  });

  afterAll(() => server?.stop());

  /** Loads the museum as a user of its own who may not read some tables. */
  async function loadWithout(...withheld: string[]) {
    const user = `reader_${readers++}`;
    await server.addReader(
      user,
      password,
      tables.filter((table) => !withheld.includes(table)),
    );
    return loadSnapshot(museumAt(server.urlOf({ user, password })));
  }

  const problemsWithout = (...withheld: string[]) =>
    loadWithout(...withheld).then(
      () => [],
      (error) => error.problems as string[],
    );

  const withheldIn = (warnings: readonly { kind: string; message: string }[]) =>
    warnings.filter(({ kind }) => kind === 'withheld-table').map(({ message }) => message);

  test('the right to SELECT is enough', async () => {
    const { store, apiTokens, warnings } = await loadWithout();
    const owned = await loadSnapshot(museumAt(server.urlOf()));
    expect(store.contentDigest).toBe(owned.store.contentDigest);
    expect(apiTokens).toEqual(owned.apiTokens);
    expect(warnings).toEqual(owned.warnings);
  });

  test('a missing right names its table, and the statement that gives it', async () => {
    const problems = (await problemsWithout('tags', 'exhibits_cmps')).join('\n');
    expect(problems).toMatch(/may not read the table exhibits_cmps; run GRANT SELECT ON exhibits_cmps/);
    expect(problems).toMatch(/may not read the table tags; run GRANT SELECT ON tags/);
  });

  test('a missing right to read the settings of Strapi is named', async () => {
    expect(await problemsWithout('strapi_core_store_settings')).toEqual([
      expect.stringMatching(/may not read the table strapi_core_store_settings; run GRANT SELECT ON/),
    ]);
  });

  test('tokens may be withheld, with a warning', async () => {
    const { apiTokens, warnings } = await loadWithout('strapi_api_tokens');
    expect(apiTokens).toEqual([]);
    expect(withheldIn(warnings)).toEqual([
      expect.stringMatching(/may not read strapi_api_tokens, so API tokens are rejected/),
    ]);
  });

  test('users may be withheld, with a warning', async () => {
    const { store, warnings } = await loadWithout('up_users');
    const user = store.collections.find(({ type }) => type.uid === 'plugin::users-permissions.user');
    expect(user?.rowCount ?? 0).toBe(0);
    expect(withheldIn(warnings)).toEqual([
      expect.stringMatching(/may not read up_users, so JWTs are rejected, and relations to users are empty/),
    ]);
  });
});
