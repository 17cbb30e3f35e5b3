import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contents } from './content/index.ts';
import { defaultServers, servers } from './http/cases.ts';
import { type ClientName, clientNames } from './http/loads.ts';
import { peers } from './peers/index.ts';
import { isBuilt } from './program.ts';
import { queries } from './queries/index.ts';

export const partNames = ['inprocess', 'http', 'load'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  only: PartName[];
  content: string[];
  /** Entries of each generated content; what the content says if it is left out. */
  size?: number;
  queries: string[];
  peers: string[];
  sets: number;
  rounds: number;
  servers: string[];
  client: ClientName;
  seconds: number;
  rate: number;
  built: boolean;
  results?: string;
  svg?: string;
  /** Another commit to compare this checkout with: a branch, a tag or a hash. */
  against?: string;
  /** Content and URLs of one's own, and the address of another service that answers them. */
  snapshot?: string;
  urls?: string;
  http?: string;
  token?: string;
  config?: string;
  /** A file of results, whose tables are made again, and written into the documents. */
  report?: string;
  documents?: boolean;
}

export const defaults = { sets: 200, rounds: 3 };

/** What the command can do. The options decide which, and each option has an effect on some of these only. */
const modes = {
  plain: {
    what: 'a run over generated content',
    options: 'only content size queries peers sets rounds servers client seconds rate built results svg',
  },
  against: { what: '--against', options: 'against only content size queries sets built results' },
  snapshot: {
    what: '--snapshot',
    options: 'snapshot urls http token config only client seconds rounds built results',
  },
  'snapshot against': {
    what: '--snapshot with --against',
    options: 'snapshot urls token config against only built results',
  },
  report: { what: '--report', options: 'report documents svg' },
};

/** Options that need another one beside them. */
const needed: [keyof Options, keyof Options][] = [
  ['documents', 'report'],
  ['urls', 'snapshot'],
  ['http', 'snapshot'],
  ['token', 'snapshot'],
  ['config', 'snapshot'],
  ['snapshot', 'urls'],
];

/** Options that have an effect on some parts of a run only. */
const partsOf: Record<string, PartName[]> = {
  queries: ['inprocess'],
  sets: ['inprocess'],
  svg: ['inprocess'],
  peers: ['inprocess', 'load'],
  servers: ['http'],
  client: ['http'],
  seconds: ['http'],
  rate: ['http'],
};

function modeOf({ report, against, snapshot }: Options): keyof typeof modes {
  if (report !== undefined) return 'report';
  if (snapshot !== undefined) return against === undefined ? 'snapshot' : 'snapshot against';
  return against === undefined ? 'plain' : 'against';
}

/** What `--help` says at its end: the options that each mode takes. */
function modesHelp(): string {
  const lines = Object.values(modes).map(({ what, options }) => `  ${what}:\n    --${options.replaceAll(' ', ', --')}`);
  return `\nOptions by mode:\n${lines.join('\n')}`;
}

/** Reads the command line and checks all that can be checked before anything is built, installed or measured. */
export function readOptions(argv: string[]): Options {
  const command = new Command('npm run bench --')
    .description('Measures Lectern beside other ways to answer the same queries. See bench/README.md.')
    .showHelpAfterError('Run "npm run bench -- --help" for usage.')
    .addOption(listOption('only', 'parts of the run', [...partNames]))
    .addOption(listOption('content', 'shapes of content', namesOf(contents)))
    .option(
      '--size <entries>',
      'entries of each content, all types together, 1,000 to 1,000,000 (default: as the content says)',
      wholeNumber(1000, 1_000_000),
    )
    .addOption(listOption('queries', 'queries in process', namesOf(queries)))
    .addOption(listOption('peers', 'peers in process; the first must be among them', namesOf(peers)))
    .option('--sets <count>', 'sets of operands for each query', wholeNumber(1, 100_000), defaults.sets)
    .option('--rounds <count>', 'rounds of turns', wholeNumber(1, 100), defaults.rounds)
    .addOption(listOption('servers', 'servers over HTTP', namesOf(servers), defaultServers))
    .addOption(new Option('--client <name>', 'what loads over HTTP').choices(clientNames).default(clientNames[0]))
    .option('--seconds <count>', 'length of each load over HTTP', wholeNumber(1, 600), 5)
    .option('--rate <count>', 'requests a second of the load at a fixed rate', wholeNumber(1, 100_000), 500)
    .option('--built', 'measure dist/ as it is, do not build first', false)
    .option('--results <file>', 'where the raw results go (default: bench/results/DATE-CPU.json)', filePath)
    .option('--svg <file>', 'draw the ratios in process as a picture', filePath)
    .optionsGroup('Two commits, and content of your own:')
    .option('--against <commit>', 'compare this checkout with another commit')
    .option('--snapshot <path>', 'snapshot or export to measure in place of the generated content')
    .option('--urls <file>', 'what to ask the snapshot for, one URL a line; "# name" begins a group')
    .option('--http <address>', 'compare with a service that answers the same URLs')
    .option('--token <token>', 'sent as "Authorization: Bearer <token>"; Lectern accepts it for everything')
    .option('--config <file>', 'settings of Lectern over the snapshot, as for "lectern serve"')
    .optionsGroup('Results:')
    .option('--report <file>', 'print the tables of a results file, measure nothing')
    .option('--documents', 'with --report: write the tables of README.md and bench/README.md, too');
  command.addHelpText('after', modesHelp());
  command.parse(argv);
  const options = command.opts<Options>();
  check(options, command);
  return options;
}

function check(options: Options, command: Command): void {
  const fail = (message: string) => command.error(`error: ${message}`);
  const { only, content, queries: chosen, client, built } = options;
  for (const [name, other] of needed) {
    if (options[name] !== undefined && options[other] === undefined) fail(`option '--${name}' needs '--${other}'.`);
  }
  const mode = modeOf(options);
  const { what, options: taken } = modes[mode];
  const given = Object.keys(options).filter((name) => command.getOptionValueSource(name) === 'cli');
  const idle = given.find((name) => !taken.split(' ').includes(name));
  if (idle !== undefined) fail(`option '--${idle}' has no effect on ${what}. Leave it out.`);
  const isMeasured = (name: string) => !partsOf[name] || partsOf[name].some((part) => only.includes(part));
  const unused = given.find((name) => !isMeasured(name));
  if (unused !== undefined && mode !== 'report')
    fail(`option '--${unused}' has no effect on '--only ${only.join()}'. It is for ${partsOf[unused].join(', ')}.`);
  if (mode === 'plain' && only.includes('inprocess') && !options.peers.includes(peers[0].name)) {
    fail(`option '--peers' must include ${peers[0].name}, as the others are compared with it.`);
  }
  const asksQueries = (mode === 'plain' || mode === 'against') && only.includes('inprocess');
  if (asksQueries && !queries.some((query) => isChosen(query, { content, queries: chosen }))) {
    fail(`option '--queries' names no query of the content ${content.join(', ')}.`);
  }
  if (only.includes('http') && client === 'wrk' && spawnSync('wrk', ['-v']).error) {
    fail("option '--client wrk' needs wrk, which is not installed. Debian has it as the package wrk.");
  }
  if (built && !isBuilt())
    fail('option \'--built\' needs a built Lectern. Run "npm run build" or leave the option out.');
}

/** Whether a query is chosen by its name and by its content. */
export function isChosen(
  query: { name: string; content: string },
  options: Pick<Options, 'content' | 'queries'>,
): boolean {
  return options.queries.includes(query.name) && options.content.includes(query.content);
}

const namesOf = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);

/** Names that are separated by commas. They keep the order of the registry. */
function listOption(name: string, what: string, known: string[], chosen = known): Option {
  return new Option(`--${name} <names>`, `${what}: ${known.join(', ')}`)
    .default(chosen, chosen === known ? 'all' : chosen.join())
    .argParser((text: string) => {
      const names = text.split(',');
      const unknown = names.find((each) => !known.includes(each));
      if (unknown !== undefined)
        throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not one of ${known.join(', ')}.`);
      return known.filter((each) => names.includes(each));
    });
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function filePath(text: string): string {
  const path = resolve(text);
  const folder = dirname(path);
  if (!existsSync(folder)) throw new InvalidArgumentError(`The folder ${folder} does not exist.`);
  if (existsSync(path) && statSync(path).isDirectory())
    throw new InvalidArgumentError(`${path} is a folder, not a file.`);
  return path;
}
