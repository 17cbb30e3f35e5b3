import { totalmem } from 'node:os';
import type { Part } from '../part.ts';
import { queries } from '../queries/index.ts';
import { httpReport } from '../report/http.ts';
import { inOwnProcess } from '../task.ts';
import { servers } from './cases.ts';
import type { HttpTask } from './measure.ts';
import type { HttpResult } from './result.ts';

export const http: Part = {
  packages: ({ client, servers: chosen }) => [
    ...(client === 'autocannon' ? [client] : []),
    ...servers.flatMap(({ name, packages = [] }) => (chosen.includes(name) ? packages : [])),
  ],
  async run({ options, content, entries, snapshot, results }) {
    if (!queries.some((query) => query.content === content.name && query.http)) return '';
    const { client, seconds, rounds, rate } = options;
    const task: HttpTask = {
      content: content.name,
      entries,
      snapshot,
      servers: options.servers,
      client,
      seconds,
      rounds,
      rate,
    };
    const result = await inOwnProcess<HttpResult>('./http/main.ts', task, totalmem());
    results.http.push(result);
    return httpReport(result);
  },
};
