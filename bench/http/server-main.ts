import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import express from 'express';
import { readRows } from '../content/rows.ts';
import { peerNamed } from '../peers/index.ts';
import { openBuilt } from '../program.ts';
import { queryNamed } from '../queries/index.ts';
import type { Asked } from '../query.ts';
import './processor-time.mjs';

/** The servers that `lectern serve` is compared with. Each runs in a process of its own. */
export type ServerTask =
  /** Plain node:http that sends the same bytes for every request, with the headers that Lectern sends. */
  | { kind: 'constant'; body: string; headers: OutgoingHttpHeaders }
  /** Express that stringifies the same object for every request. */
  | { kind: 'stringify'; body: string }
  /** Lectern mounted in an Express app. */
  | { kind: 'router'; snapshot: string }
  /** A peer of the in-process part behind plain node:http. */
  | { kind: 'peer'; peer: string; snapshot: string; queries: { name: string; sets: Asked[] }[] };

/** What a server sends to the process that started it once it listens. */
export interface Listening {
  origin: string;
  /** Names of the queries that the peer cannot answer. */
  declined: string[];
}

async function listener(task: ServerTask, declined: string[]): Promise<RequestListener> {
  switch (task.kind) {
    case 'constant': {
      const body = Buffer.from(task.body);
      return (request, response) => send(request, response, body, task.headers);
    }
    case 'stringify': {
      const found = JSON.parse(task.body);
      return express().use((_request, response) => {
        response.json(found);
      });
    }
    case 'router': {
      const content = await openBuilt(task.snapshot);
      return express().use('/api', content.router() as express.Router);
    }
    case 'peer': {
      const answers = await answersOf(task, declined);
      return (request, response) => {
        const answer = answers.get(request.url!);
        if (answer) send(request, response, answer());
        else response.writeHead(404).end();
      };
    }
  }
}

/** Looks a URL up instead of parsing it, so that a peer needs no parser. That makes it a little faster. */
async function answersOf({ peer: name, snapshot, queries }: ServerTask & { kind: 'peer' }, declined: string[]) {
  const peer = peerNamed(name);
  const own = queries.map((each) => queryNamed(each.name));
  const answerer = await peer.open({ snapshot, rows: readRows(snapshot), queries: own });
  const answers = new Map<string, () => Buffer>();
  for (const [index, { sets }] of queries.entries()) {
    const answer = answerer(own[index], sets);
    if (!answer) declined.push(own[index].name);
    else for (const asked of sets) answers.set(asked.url, () => answer(asked));
  }
  return answers;
}

const compressions = {
  gzip: promisify<Buffer, Buffer>(gzip),
  // as Lectern compresses
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
};

/** Sends the body, compressed if the request accepts exactly one coding. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  headers: OutgoingHttpHeaders = { 'Content-Type': 'application/json; charset=utf-8' },
): Promise<void> {
  const coding = request.headers['accept-encoding'];
  const isKnown = coding === 'gzip' || coding === 'br';
  const sent = isKnown ? await compressions[coding](body) : body;
  const coded = isKnown ? { 'Content-Encoding': coding } : {};
  response.writeHead(200, { ...headers, ...coded, 'Content-Length': String(sent.length) });
  response.end(sent);
}

process.once('message', async (task: ServerTask) => {
  const declined: string[] = [];
  const server = createServer(await listener(task, declined));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send!({ origin: `http://127.0.0.1:${port}`, declined } satisfies Listening);
  });
});
