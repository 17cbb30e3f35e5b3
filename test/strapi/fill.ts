/** Fills the Strapi project in the folder that is named on the command line, with the seed named after it. */
import { rolePermissions } from './access.ts';
import { DocumentFiller } from './fill/documents.ts';
import { fillFiles, fillLocales, fillRoles, fillTokens, fillUsers } from './fill/people.ts';
import { loadStrapi } from './fill/strapi.ts';
import { Random } from './random.ts';

const [folder, seed] = process.argv.slice(2);
const random = new Random(Number(seed));
const strapi = await loadStrapi(folder);
await fillLocales(strapi, [
  { code: 'fr', name: 'French (fr)' },
  { code: 'de', name: 'German (de)' },
]);
await fillRoles(strapi, rolePermissions);
await fillTokens(strapi);
const users = await fillUsers(strapi, random);
const files = await fillFiles(strapi, random);
await new DocumentFiller(strapi, random, files, users).fill();
await strapi.destroy();
process.exit(0);
