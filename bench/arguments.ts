import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ClientName, clientNames } from './http/client.ts';
import { type PeerName, peerNames } from './peers/peers.ts';
import { type QueryName, queryNames } from './queries/queries.ts';

export const parts = ['inprocess', 'http', 'load', 'strapi'] as const;
export type Part = (typeof parts)[number];

export interface Arguments {
  /** Entries of each snapshot, all types together. */
  sizes: number[];
  parts: Part[];
  queries: QueryName[];
  peers: PeerName[];
  /** Parameter sets for each query. */
  sets: number;
  repeat: number;
  /** What loads over HTTP, and how long each time. */
  client: ClientName;
  seconds: number;
  json?: string;
  /** Where the picture goes; undefined for a run of a part of the queries or peers that names no file. */
  svg?: string;
  /** The address of a Strapi, an export of its content, and what to ask both for. */
  strapi?: { url: string; snapshot?: string; paths: string[] };
  built: boolean;
}

/** Throws an error that names the argument. */
export function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '100000' },
      only: { type: 'string', default: parts.join(',') },
      queries: { type: 'string', default: queryNames.join(',') },
      peers: { type: 'string', default: peerNames.map(shortName).join(',') },
      sets: { type: 'string', default: '200' },
      repeat: { type: 'string', default: '3' },
      client: { type: 'string', default: clientNames[0] },
      seconds: { type: 'string', default: '5' },
      json: { type: 'string' },
      svg: { type: 'string' },
      strapi: { type: 'string' },
      'strapi-snapshot': { type: 'string' },
      'strapi-path': { type: 'string', multiple: true, default: [] },
      built: { type: 'boolean', default: false },
    },
  });
  const chosen = list('peers', values.peers, peerNames.map(shortName));
  const chosenPeers = peerNames.filter((name) => chosen.includes(shortName(name)));
  if (chosenPeers[0] !== peerNames[0])
    throw new Error(`--peers must name ${peerNames[0]}: the others are compared with it`);
  const chosenQueries = list('queries', values.queries, queryNames);
  const whole = chosenPeers.length === peerNames.length && chosenQueries.length === queryNames.length;
  return {
    sizes: values.sizes.split(',').map((text) => wholeNumber('sizes', text)),
    parts: list('only', values.only, parts),
    queries: chosenQueries,
    peers: chosenPeers,
    sets: wholeNumber('sets', values.sets),
    repeat: wholeNumber('repeat', values.repeat),
    client: list('client', values.client, clientNames)[0],
    seconds: wholeNumber('seconds', values.seconds),
    json: values.json,
    svg: values.svg ?? (whole ? fileURLToPath(new URL('./ratios.svg', import.meta.url)) : undefined),
    strapi: values.strapi
      ? { url: values.strapi, snapshot: values['strapi-snapshot'], paths: values['strapi-path'] }
      : undefined,
    built: values.built,
  };
}

/** `sqlite, tuned by hand` is `sqlite-tuned` on the command line. */
function shortName(peer: PeerName): string {
  return peer.replace(/,? by hand|,? SQL$| \(.*\)$/g, '').replace(/,? /g, '-');
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new Error(`--${name} must be a whole number above 0, not ${JSON.stringify(text)}`);
  return Number(text);
}

function list<Item extends string>(name: string, text: string, known: readonly Item[]): Item[] {
  return text.split(',').map((item) => {
    if (!known.includes(item as Item))
      throw new Error(`--${name} knows ${known.join(', ')}, not ${JSON.stringify(item)}`);
    return item as Item;
  });
}
