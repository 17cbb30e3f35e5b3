/** A simulated Strapi behind a port: a Lectern answers for it with its present content. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openWithExtension } from '../../../src/content/open.ts';
import { Problems } from '../../../src/core/problems.ts';
import type { Content } from '../../../src/index.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { loadStrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { readOptions } from '../../../src/model/settings/read-config.ts';
import { sha256 } from '../../support/sha256.ts';
import type { Event, SimulatedStrapi } from './refresh/simulated-strapi.ts';
import { ServedRoute } from './served-route.ts';

const token = 'reader';

/** A reply in place of that of the Strapi. */
export interface Fault {
  readonly status: number;
  readonly headers?: Record<string, string>;
}

export class ServedStrapi {
  readonly strapi: SimulatedStrapi;
  readonly #content: Content;
  readonly #server: Server;
  /** The URLs of requests, without the address. */
  readonly requests: string[] = [];
  /** Returns a fault for a request, or null. */
  fault: (url: string) => Fault | null = () => null;
  /** Returns the body of a successful reply in place of another one, or null. */
  instead: (url: string, body: unknown) => unknown = () => null;
  /** Is waited for before each reply. */
  before: (url: string) => Promise<void> = async () => {};
  /** The route of the plugin, if it is installed. */
  route: ServedRoute | null = null;

  private constructor(strapi: SimulatedStrapi, content: Content) {
    this.strapi = strapi;
    this.#content = content;
    this.#server = createServer(async (request, response) => {
      const inside = '/inside';
      const isInside = request.url!.startsWith(inside);
      const url = isInside ? request.url!.slice(inside.length) : request.url!;
      if (!isInside) this.requests.push(url);
      const fault = this.fault(url);
      if (fault) return void response.writeHead(fault.status, fault.headers).end('{"error":{"message":"Fault"}}');
      if (!isInside) await this.before(url);
      if (this.route && url.startsWith('/api/lectern/')) {
        const { status, text } = await this.route.answer(url, String(request.headers['x-lectern-signature']));
        return void response.writeHead(status, { 'Content-Type': 'application/x-ndjson' }).end(text);
      }
      const reply = await content.answer(url, { authorization: request.headers.authorization });
      const other = this.instead(url, JSON.parse(Buffer.from(reply.body).toString()));
      if (other === null) return void response.writeHead(reply.status, reply.headers).end(reply.body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(other));
    });
  }

  static async start(strapi: SimulatedStrapi, port = 0): Promise<ServedStrapi> {
    const settings = readOptions({ tokens: [{ name: 'reader', type: 'full-access', sha256: sha256(token) }] });
    const content = await openWithExtension(
      'strapi',
      settings,
      () => 'options',
      null,
      () => load(strapi),
    );
    const served = new ServedStrapi(strapi, content);
    await new Promise<void>((resolve) => served.#server.listen(port, '127.0.0.1', resolve));
    return served;
  }

  /** Installs the plugin. */
  install(): ServedRoute {
    this.route = new ServedRoute(`${this.#address}/inside`);
    return this.route;
  }

  /** What a reader is made of. */
  source(compareSeconds = 3600, secret: string | null = null) {
    const url = this.#address;
    return { kind: 'rest' as const, url, token, secret, types: null, cacheDir: undefined, compareSeconds };
  }

  /** Makes a change, and returns its events when it is served. */
  async change(make: (strapi: SimulatedStrapi) => Event | Event[]): Promise<Event[]> {
    const events = [make(this.strapi)].flat();
    this.#content.history.replace(await load(this.strapi));
    return events;
  }

  get #address(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function load({ content }: SimulatedStrapi): Promise<LoadedSnapshot> {
  return loadStrapiContent(content, 'strapi', new Problems('strict'), { dialect: 'strapi' });
}
