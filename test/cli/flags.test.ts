import { describe, expect, test } from 'vitest';
import { type FlagName, LecternCommand } from '../../src/cli/flags.ts';

/** Returns the options of a command line. Throws a usage error. */
function parsed(name: FlagName, ...words: string[]): Record<string, unknown> {
  const command = new LecternCommand()
    .flags(name)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(words, { from: 'user' }).opts();
}

describe('a flag', () => {
  test.each<[FlagName, string, string, unknown]>([
    ['threads', '--threads', '1', 1],
    ['threads', '--threads', '256', 256],
    ['threads', '--threads', 'auto', 'auto'],
    ['port', '--port', '0', 0],
    ['adminPort', '--admin-port', '65535', 65_535],
    ['host', '--host', '::', '::'],
    ['mediaUrl', '--media-url', 'https://cdn.example.org/media', 'https://cdn.example.org/media'],
    ['uploads', '--uploads', 'true', 'true'],
    ['uploadsOrigins', '--uploads-origins', 'http://localhost:1337', ['http://localhost:1337']],
    ['uploadsOrigins', '--uploads-origins', 'http://a,https://b:1', ['http://a', 'https://b:1']],
  ])('%s accepts %s %s', (name, flag, text, value) => {
    expect(parsed(name, flag, text)).toEqual({ [name]: value });
  });

  const threads = 'It must be a whole number from 1 to 256, or auto.';
  const url = 'It must be an http or https URL without credentials, query and fragment.';
  const origin = 'It must be an origin such as http://localhost:1337, without a path.';

  test.each<[FlagName, string, string, string]>([
    ...['0', '-1', '1.5', 'x', '257', '1e2'].map((text): [FlagName, string, string, string] => [
      'threads',
      '--threads',
      text,
      threads,
    ]),
    ['threads', '--threads', '', 'It must not be empty.'],
    ['port', '--port', '65536', 'It must be at most 65535.'],
    ['adminPort', '--admin-port', '-1', 'It must be at least 0.'],
    ['adminPort', '--admin-port', '1.5', 'It must be a whole number.'],
    ['host', '--host', ' ', 'It must not be empty.'],
    ['cache', '--cache', '', 'It must not be empty.'],
    ['token', '--token', '', 'It must not be empty.'],
    ['logLevel', '--log-level', 'loud', 'Allowed choices are debug, info, warn, error, silent.'],
    ['upstream', '--upstream', 'ftp://example.org', url],
    ['mediaUrl', '--media-url', 'https://example.org/?a=b', url],
    ...['http://a,', 'http://a/', 'a'].map((text): [FlagName, string, string, string] => [
      'uploadsOrigins',
      '--uploads-origins',
      text,
      origin,
    ]),
  ])('%s rejects %s %j', (name, flag, text, message) => {
    expect(() => parsed(name, flag, text)).toThrow(message);
  });
});
