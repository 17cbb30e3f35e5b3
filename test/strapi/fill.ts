/** Fills the Strapi project in the folder that is named on the command line, with the seed named after it. */
import { DocumentFiller } from './fill/documents.ts';
import { fillFiles, fillLocales, fillRoles, fillTokens, fillUsers } from './fill/people.ts';
import { loadStrapi } from './fill/strapi.ts';
import { Random } from './random.ts';

const [folder, seed] = process.argv.slice(2);
const random = new Random(Number(seed));
const strapi = await loadStrapi(folder);
await fillLocales(strapi);
await fillRoles(strapi);
await fillTokens(strapi);
const users = await fillUsers(strapi, random);
const files = await fillFiles(strapi, random);
await new DocumentFiller(strapi, random, files, users).fill();
await strapi.destroy();
process.exit(0);
