import { type Config, openOptions } from '../config.ts';
import { open } from '../index.ts';
import { Failure, number, table } from './report.ts';

/** How often a URL is answered before it is explained, so that indexes and compiled code are there, as in a server. */
const warmUps = 20;

/** Loads a snapshot and prints how a URL is answered. */
export async function explain(snapshot: string, url: string, config: Config): Promise<void> {
  const content = await open(snapshot, openOptions(config));
  for (let i = 0; i < warmUps; i++) content.explain(url);
  const { status, plan, stages, bytes } = content.explain(url);
  if (status >= 400) throw new Failure(`${url} is answered with ${status}: ${plan}`);
  console.log(plan === '' ? 'every row that may be seen\n' : plan);
  const rows = stages.map(({ stage, microseconds }) => [stage, number(microseconds)]);
  console.log(table([['stage', 'microseconds'], ...rows], [1]));
  console.log(`\n${number(bytes)} bytes`);
}
