/** Links lead somewhere, and the README's query has the answer that it prints. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { anchorsOf, pageAt, pages, project } from './pages.ts';

describe('links', () => {
  test.each(pages)('of $path lead to existing files and headings', ({ path, text }) => {
    const broken = Array.from(text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g), ([, link]) => link).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file, anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(project, target))) return true;
      const page = pages.find((each) => each.path === target);
      return anchor !== undefined && page !== undefined && !anchorsOf(page).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

test('the query of the README has the answer printed below it', async () => {
  const { text } = pageAt('README.md');
  const [, query, answer] = /curl -g 'http:\/\/127\.0\.0\.1:1337(\S+)'\n```\n\n```json\n([\s\S]*?)```/.exec(text)!;
  const content = await open(join(project, 'data/demo'));
  const { body } = await content.answer(query);
  expect(JSON.parse(String(body))).toEqual(JSON.parse(answer));
});
