/**
 * Makes the files of a version for `upgrade.test.ts`, and records what that version answers from them:
 *
 *     npx tsx test/upgrade/make.ts COMMIT
 *
 * Run it for the last commit before a format changes.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';
import { makeFiles } from './files.ts';
import { settingNames, writeMade } from './made.ts';
import { killServers } from './server-of.ts';
import { buildVersion, describeCommit } from './versions.ts';

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Name a commit: npx tsx test/upgrade/make.ts COMMIT');
const { hash, day } = describeCommit(commit);
const cli = buildVersion(hash);
const folder = temporaryFolder('lectern-upgrade-');
try {
  const answers = await makeFiles(cli, folder);
  const schema = readFileSync(join(dirname(cli), '../data/schemas/config.schema.json'), 'utf8');
  console.log(`wrote ${writeMade(`${day}-${hash}`, folder, { settings: settingNames(JSON.parse(schema)), answers })}`);
} finally {
  killServers();
}
process.exit();
