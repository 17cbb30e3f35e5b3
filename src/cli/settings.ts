import { InvalidArgumentError, Option } from 'commander';
import { isPlainHttpUrl } from '../config/media.ts';
import { type LogLevel, logLevels } from '../config/server.ts';
import { type Config, type Dialect, defaultConfig, dialects, readConfig } from '../config.ts';

/** What the command line gives: each flag that was given, or its environment variable. */
export interface Flags {
  config?: string;
  dialect?: Dialect;
  lenient?: boolean;
  mediaUrl?: string;
  host?: string;
  port?: number;
  adminPort?: number;
  logLevel?: LogLevel;
}

/** The flags, made anew for each command. A flag wins over its environment variable, and that over the file. */
export const flags = {
  config: () => new Option('--config <file>', 'config file (JSON)'),
  dialect: () => new Option('--dialect <name>', 'how to answer where Strapi differs').choices(dialects),
  lenient: () => new Option('--lenient', 'leave dangling relations out, in place of refusing the snapshot'),
  json: () => new Option('--json', 'print the result as JSON'),
  mediaUrl: () =>
    new Option('--media-url <url>', 'put in front of the addresses of files, such as /uploads/a.png').argParser(
      readMediaUrl,
    ),
  host: () =>
    withVariable(new Option('--host <address>', 'address to listen on (127.0.0.1)').argParser(readHost), 'HOST'),
  port: () => withVariable(new Option('--port <number>', 'port to listen on (1337)').argParser(readPort), 'PORT'),
  adminPort: () =>
    withVariable(
      new Option('--admin-port <number>', 'port of its own for /_health, /_ready and /_metrics').argParser(readPort),
      'ADMIN_PORT',
    ),
  logLevel: () =>
    withVariable(
      new Option('--log-level <level>', 'least level that is logged (info)').choices(logLevels),
      'LOG_LEVEL',
    ),
};

/** The config in force. */
export function readSettings({ config, logLevel, ...given }: Flags): Config {
  const file = config === undefined ? defaultConfig() : readConfig(config);
  const jwtSecret = process.env.JWT_SECRET || file.jwtSecret;
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const log = logLevel === undefined ? file.log : { ...file.log, level: logLevel };
  return { ...file, jwtSecret, log, ...stated };
}

/** An empty variable counts as not set: that is how container files pass on a variable that they do not have. */
function withVariable(option: Option, name: string): Option {
  if (process.env[name]) option.env(name);
  else option.description = `${option.description} (env: ${name})`;
  return option;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  return port;
}

function readMediaUrl(text: string): string {
  if (!isPlainHttpUrl(text)) throw new InvalidArgumentError('It must be a URL such as https://images.example.org.');
  return text;
}

/** Node takes an empty host for every address of the machine. */
function readHost(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
