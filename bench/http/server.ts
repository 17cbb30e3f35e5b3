import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { packaged } from '../packages.ts';
import { openBuilt } from '../program.ts';

/** The servers that Lectern's is compared with, each in a process of its own. */

export type ServerTask =
  /** The same bytes for every request, with the headers that Lectern sends. */
  | { kind: 'node'; body: string; headers: Record<string, string> }
  /** The same object for every request, stringified by Express. */
  | { kind: 'express-json'; body: string }
  /** Lectern in an Express app. */
  | { kind: 'express-lectern'; snapshot: string }
  /** json-server over a file. */
  | { kind: 'json-server'; database: string };

interface JsonServer {
  create(): RequestListener & { use(handler: unknown): void };
  defaults(options: { logger: boolean; readOnly: boolean }): unknown;
  router(file: string): unknown;
}

async function listener(task: ServerTask): Promise<RequestListener> {
  switch (task.kind) {
    case 'node': {
      const body = Buffer.from(task.body);
      const headers = { ...task.headers, 'Content-Length': String(body.length) };
      return (_request, response) => {
        response.writeHead(200, headers);
        response.end(body);
      };
    }
    case 'express-json': {
      const found = JSON.parse(task.body);
      const app = express();
      app.get('/api/articles', (_request, response) => {
        response.json(found);
      });
      return app;
    }
    case 'express-lectern': {
      const content = await openBuilt(task.snapshot);
      const app = express();
      app.use('/api', content.router() as express.Router);
      return app;
    }
    case 'json-server': {
      const { create, defaults, router } = packaged<JsonServer>('json-server');
      const app = create();
      app.use(defaults({ logger: false, readOnly: true }));
      app.use(router(task.database));
      return app;
    }
  }
}

process.once('message', async (task: ServerTask) => {
  const server = createServer(await listener(task));
  server.listen(0, '127.0.0.1', () => {
    process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
});
process.once('disconnect', () => process.exit(0));
