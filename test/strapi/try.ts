import { startServers } from './servers.ts';

const s = await startServers('/tmp/lectern-strapi', process.argv.includes('--refill'));
console.log(s);
