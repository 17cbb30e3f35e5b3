/** A database that cannot be read gives one sentence that says what to do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { freePort } from '../../support/cli.ts';
import { type Address, type MuseumServer, museumAt, museumServers, tablesOf } from './museum-servers.ts';

const password = 'a-secret-Pa55word';
const user = 'reader';

describe.each(museumServers)('%s', (_, start) => {
  let server: MuseumServer;

  beforeAll(async () => {
    server = await start();
    await server.addReader(user, password, await tablesOf(server));
    await server.create('blank');
  });

  afterAll(() => server?.stop());

  async function errorAt(address: Address): Promise<Error & { problems: string[] }> {
    return loadSnapshot(museumAt(server.urlOf(address))).then(
      () => {
        throw new Error('it was loaded');
      },
      (error) => error,
    );
  }

  async function expectProblem(address: Address, message: RegExp): Promise<void> {
    const error = await errorAt(address);
    expect(error.problems).toEqual([expect.stringMatching(message)]);
    expect(error.message).not.toMatch(/Pa55word/);
  }

  test.each<[string, Address, RegExp]>([
    [
      'a host that is not known',
      { host: 'no-such-host.invalid' },
      /the host no-such-host\.invalid is not known; check/,
    ],
    ['another password', { user, password: 'wrong-Pa55word' }, /rejects the user reader: .*; check user and password/],
    ['no such database', { database: 'nothing' }, /has no database nothing; check its name/],
    ['a database without a Strapi', { database: 'blank' }, /not the database of a Strapi: it has no table/],
  ])('%s', async (_name, address, message) => expectProblem({ user: 'strapi', ...address }, message));

  test('a port without a server, which may be started later', async () => {
    const error = await errorAt({ port: await freePort() });
    expect(error.problems).toEqual([expect.stringMatching(/no server takes connections at .*; start it, or check/)]);
    expect(error).toBeInstanceOf(SourceAwayError);
  });

  test.each([
    [
      'a database of Strapi 4',
      'ALTER TABLE files RENAME COLUMN document_id TO no_id',
      'ALTER TABLE files RENAME COLUMN no_id TO document_id',
      /a database of Strapi 4; only that of Strapi 5 is read/,
    ],
    [
      'columns that do not fit, as in a migration',
      'ALTER TABLE tags RENAME COLUMN label TO title',
      'ALTER TABLE tags RENAME COLUMN title TO label',
      /needs the column tags\.label, which is missing: .*start Strapi/,
    ],
    [
      'tables that are missing',
      'ALTER TABLE tags RENAME TO labels',
      'ALTER TABLE labels RENAME TO tags',
      /needs the table tags, which is missing: .*start Strapi/,
    ],
    [
      'a database before the first start',
      'ALTER TABLE strapi_core_store_settings RENAME TO kept; CREATE TABLE strapi_core_store_settings AS SELECT * FROM kept WHERE 1 = 0',
      'DROP TABLE strapi_core_store_settings; ALTER TABLE kept RENAME TO strapi_core_store_settings',
      /has no content types yet; start Strapi once/,
    ],
  ])('%s', async (_name, change, undo, message) => {
    await server.run(change);
    try {
      await expectProblem({}, message);
    } finally {
      await server.run(undo);
    }
  });
});
