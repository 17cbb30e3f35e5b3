import { describe, expect, test } from 'vitest';
import { cacheControlProblem, forbidsSharedCaching } from '../../src/model/settings/replies.ts';

describe('a value of Cache-Control', () => {
  test.each([
    'no-store',
    'Public, MAX-AGE=60',
    'public,max-age=0,stale-while-revalidate=600',
    'private="Set-Cookie, ETag", max-age=5',
    'no-cache="a\\"b"',
  ])('%j is accepted', (value) => {
    expect(cacheControlProblem(value)).toBeNull();
  });

  test.each([
    ['', 'must be a comma-separated list of directives'],
    ['max age=60', 'must be a comma-separated list of directives'],
    ['no-cache="a', 'must be a comma-separated list of directives'],
    ['public; max-age=60', 'must be a comma-separated list of directives'],
    ['max-ages=60', 'must not contain the unknown directive max-ages (did you mean "max-age"?)'],
    ['max-age', 'must have seconds after max-age, such as max-age=60'],
    ['s-maxage=1h', 'must have seconds after s-maxage, such as s-maxage=60'],
    ['max-age=-1', 'must have seconds after max-age, such as max-age=60'],
    ['no-store=1', 'must have no value after no-store'],
    ['private=', 'must have header names after "private=", or no "="'],
    ['private=""', 'must have header names after "private=", or no "="'],
    ['max-age=1, Max-Age=2', 'must contain max-age only once'],
    ['private, public', 'must not contain both public and private'],
  ])('%j %s', (value, problem) => {
    expect(cacheControlProblem(value)).toBe(problem);
  });

  test.each([
    ['private', true],
    ['max-age=60, No-Store', true],
    ['private="Set-Cookie"', false],
    ['no-cache', false],
    ['nonsense; private', false],
  ])('%j keeps the whole reply out of shared caches: %s', (value, expected) => {
    expect(forbidsSharedCaching(value)).toBe(expected);
  });
});
