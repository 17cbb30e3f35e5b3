import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
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
    .option('--sets <count>', 'sets of operands for each query', wholeNumber(1, 100_000), 200)
    .option('--rounds <count>', 'rounds of turns', wholeNumber(1, 100), 3)
    .addOption(listOption('servers', 'servers over HTTP', namesOf(servers), defaultServers))
    .addOption(new Option('--client <name>', 'what loads over HTTP').choices(clientNames).default(clientNames[0]))
    .option('--seconds <count>', 'length of each load over HTTP', wholeNumber(1, 600), 5)
    .option('--rate <count>', 'requests a second of the load at a fixed rate', wholeNumber(1, 100_000), 500)
    .option('--built', 'measure dist/ as it is, do not build first', false)
    .option('--results <file>', 'where the raw results go (default: bench/results/DATE-CPU.json)', writablePath)
    .option('--svg <file>', 'draw the ratios in process as a picture', writablePath)
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
  command.parse(argv);
  const options = command.opts<Options>();
  check(options, command);
  return options;
}

function check({ only, content, peers: chosen, client, built, ...options }: Options, command: Command): void {
  const fail = (message: string) => command.error(`error: ${message}`);
  if (only.includes('inprocess') && !chosen.includes(peers[0].name)) {
    fail(`option '--peers' must include ${peers[0].name}, as the others are compared with it.`);
  }
  if (only.includes('inprocess') && !queries.some((query) => isChosen(query, { content, queries: options.queries }))) {
    fail(`option '--queries' names no query of the content ${content.join(', ')}.`);
  }
  if (only.includes('http') && client === 'wrk' && !isInstalled('wrk')) {
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

function writablePath(text: string): string {
  const path = resolve(text);
  const folder = dirname(path);
  if (!existsSync(folder)) throw new InvalidArgumentError(`The folder ${folder} does not exist.`);
  if (existsSync(path) && statSync(path).isDirectory())
    throw new InvalidArgumentError(`${path} is a folder, not a file.`);
  try {
    accessSync(existsSync(path) ? path : folder, constants.W_OK);
  } catch {
    throw new InvalidArgumentError(`${path} cannot be written.`);
  }
  return path;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(process.platform === 'win32' ? 'where' : 'which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
