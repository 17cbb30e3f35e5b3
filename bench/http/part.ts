import { totalmem } from 'node:os';
import type { Part } from '../part.ts';
import { httpReport } from '../report/http.ts';
import { inOwnProcess } from '../task.ts';
import type { HttpTask } from './measure.ts';
import type { HttpResult } from './result.ts';

export const http: Part = {
  packages: ({ client }) => ['json-server', ...(client === 'autocannon' ? ['autocannon'] : [])],
  async run({ options, content, entries, snapshot, results }) {
    if (content.name !== 'magazine') return '';
    const { client, seconds, rounds } = options;
    const task: HttpTask = { snapshot, entries, client, seconds, repeat: rounds };
    const result = await inOwnProcess<HttpResult>('./http/main.ts', task, totalmem());
    results.http.push(result);
    return httpReport(result);
  },
};
