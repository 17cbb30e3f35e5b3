import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../../model/settings/config.ts';
import type { Trust } from '../connections/client-address.ts';
import { logUpgrade, type RequestDetails } from '../log/log.ts';
import { type RequestTimes, routeNames } from '../metrics/request-times.ts';
import type { StaticHeaders } from '../requests/static-headers.ts';
import { acceptWebSockets } from './upgrades.ts';
import { Upstream } from './upstream.ts';

export interface UpstreamParts extends RequestDetails {
  readonly config: Pick<Config, 'upstream' | 'timeouts' | 'log'>;
  readonly log: Logger;
  readonly trust: Trust;
  readonly staticHeaders: StaticHeaders;
  readonly times: RequestTimes | null;
}

/** Creates the upstream server of the settings, and forwards the WebSockets of `main` to it. Null if there is none. */
export function connectUpstream(main: Server, parts: UpstreamParts): Upstream | null {
  const { config, log, trust, staticHeaders, times } = parts;
  if (config.upstream === undefined) return null;
  const upstream = new Upstream({
    address: config.upstream,
    timeouts: config.timeouts,
    trust,
    log,
    headers: (request) => staticHeaders.of(request),
    onUpgrade: () => times?.observe(routeNames.upstream, 101, 0),
  });
  acceptWebSockets(main, (request, socket, head) => {
    if (config.log.requests) logUpgrade(request, log, parts);
    upstream.upgrade(request, socket, head);
  });
  return upstream;
}
