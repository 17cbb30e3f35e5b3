import { InvalidArgumentError, type Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { flags } from '../../src/cli/settings.ts';

const parsed = (option: Option, text: string) => option.parseArg!(text, undefined);

describe('a flag', () => {
  test.each<[keyof typeof flags, string, unknown]>([
    ['threads', '1', 1],
    ['threads', '256', 256],
    ['threads', 'auto', 'auto'],
    ['port', '0', 0],
    ['adminPort', '65535', 65_535],
    ['host', '::', '::'],
    ['mediaUrl', 'https://cdn.example.org/media', 'https://cdn.example.org/media'],
    ['uploadsOrigins', 'http://localhost:1337', ['http://localhost:1337']],
    ['uploadsOrigins', 'http://a,https://b:1', ['http://a', 'https://b:1']],
  ])('%s %s is accepted', (name, text, value) => {
    expect(parsed(flags[name](), text)).toEqual(value);
  });

  test.each<[keyof typeof flags, string, string]>([
    ...['0', '-1', '1.5', 'x', '257', '', '1e2'].map((text): [keyof typeof flags, string, string] => [
      'threads',
      text,
      'It must be a whole number from 1 to 256, or auto.',
    ]),
    ['port', '65536', 'It must be a whole number from 0 to 65535.'],
    ['adminPort', '-1', 'It must be a whole number from 0 to 65535.'],
    ['host', ' ', 'It must not be empty.'],
    ['cache', '', 'It must not be empty.'],
    ['upstream', 'ftp://example.org', 'It must be a URL such as https://example.org, without a query.'],
    ...['', 'http://a,', 'http://a/', 'a'].map((text): [keyof typeof flags, string, string] => [
      'uploadsOrigins',
      text,
      'It must be origins such as http://localhost:1337, without a path.',
    ]),
    ['mediaUrl', 'https://example.org/?a=b', 'It must be a URL such as https://example.org, without a query.'],
  ])('%s %j is a usage error', (name, text, message) => {
    expect(() => parsed(flags[name](), text)).toThrow(new InvalidArgumentError(message));
  });
});
