/** Sends the requests of some seeds to a new server and reports the replies. */

import { type OpenOptions, open } from '../../src/index.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { LecternServer } from '../../src/server/server.ts';
import { sha256 } from '../support/guide.ts';
import { serveContent } from '../support/serve-content.ts';
import { RawClient } from './raw-client.ts';
import { bytesOf, type FuzzRequest, RequestFuzz } from './requests.ts';

/** The permitted statuses: 408 and 5xx are not among them. */
export const allowedStatuses: ReadonlySet<number | null> = new Set([
  200, 204, 304, 400, 401, 403, 404, 405, 414, 429, 431,
]);

export interface RequestCampaign {
  snapshot: string;
  dialect: 'document' | 'strapi';
  firstSeed: number;
  /** Maximum number of requests. `isOver` may end the campaign earlier. */
  count: number;
  isOver?: () => boolean;
  /** Called with the processor time of each answer in milliseconds. */
  answered?: (url: string, milliseconds: number) => void;
  options?: OpenOptions;
}

export interface RequestOutcome {
  asked: number;
  statuses: Map<number | null, number>;
  failures: { seed: number; request: FuzzRequest; status: number | null }[];
  /** Log lines at the level error. */
  errors: string[];
  /** After all of them. */
  isAlive: boolean;
}

const connections = 8;

export async function runRequests(campaign: RequestCampaign): Promise<RequestOutcome> {
  const { snapshot, dialect, firstSeed, count, isOver, answered } = campaign;
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  const content = await open(snapshot, { dialect, tokens, jwtSecret: 'secret', ...campaign.options });
  if (answered) {
    const answer = content.answer.bind(content);
    content.answer = (url, options) => {
      const before = process.cpuUsage();
      const reply = answer(url, options);
      const { user, system } = process.cpuUsage(before);
      // the time includes threads that collect and compress, so a slow request is repeated
      const again = () => {
        const started = process.cpuUsage();
        content.explain(url);
        const taken = process.cpuUsage(started);
        return (taken.user + taken.system) / 1000;
      };
      const milliseconds = (user + system) / 1000;
      answered(url, milliseconds < 50 ? milliseconds : Math.min(milliseconds, again(), again(), again()));
      return reply;
    };
  }
  const errors: string[] = [];
  const config = configSchema.parse({ port: 0, log: { level: 'error' } });
  const server = new LecternServer(config, createLog(config.log, { write: (line) => void errors.push(line) }));
  await server.listen();
  serveContent(server, content);
  const port = Number(new URL(server.address).port);
  const fuzz = new RequestFuzz(snapshot);
  const outcome: RequestOutcome = { asked: 0, statuses: new Map(), failures: [], errors, isAlive: false };
  let next = firstSeed;
  const ask = async (client: RawClient) => {
    while (next < firstSeed + count && outcome.failures.length < 10 && !isOver?.()) {
      const seed = next++;
      const request = fuzz.request(seed);
      const status = await client.ask(bytesOf(request), request.method !== 'HEAD');
      outcome.asked++;
      outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1);
      if (!allowedStatuses.has(status)) outcome.failures.push({ seed, request, status });
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, () => ask(new RawClient(port))));
  const last = new RawClient(port);
  outcome.isAlive = (await last.ask(Buffer.from('GET /_health HTTP/1.1\r\nHost: a\r\n\r\n'), true)) === 204;
  last.close();
  await server.stop();
  return outcome;
}

export function describeRequests({ failures, errors }: RequestOutcome): string {
  const requests = failures.map(
    ({ seed, request, status }) => `seed ${seed}, status ${status}: ${JSON.stringify(request)}`,
  );
  return [...requests, ...errors.slice(0, 3)].join('\n');
}
