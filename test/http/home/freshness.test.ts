import { expect, test } from 'vitest';
import { freshnessText } from '../../../src/http/home/page.ts';

const now = 10_000_000_000;

test.each([
  [999, 'less than a second ago'],
  [1000, '1 second ago'],
  [59_999, '59 seconds ago'],
  [60_000, '1 minute ago'],
  [7_199_999, '1 hour ago'],
  [172_800_000, '2 days ago'],
  // the clock was set back
  [-5000, 'less than a second ago'],
])('content that was read %d milliseconds ago is %s', (milliseconds, text) => {
  const read = { source: 'a Strapi', readAt: now - milliseconds, error: null };
  expect(freshnessText(read, now)).toBe(`Content from a Strapi, as of ${text}.`);
});

test('a source that was never read has no age', () => {
  const error = { message: 'it does not answer', at: now - 2000 };
  expect(freshnessText({ source: 'a Strapi', readAt: null, error }, now)).toBe(
    'Content from a Strapi. The last attempt to read it was 2 seconds ago: it does not answer.',
  );
});
