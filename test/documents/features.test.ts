/** docs/features.md describes every feature, and each of its queries has the answer that it prints. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { featureNames } from '../../src/model/settings/features.ts';
import { ask } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { pageAt, project } from './pages.ts';

const { text } = pageAt('docs/features.md');
const sections = text
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const examples = Array.from(
      section.matchAll(/curl -g 'http:\/\/127\.0\.0\.1:1337([^?]+)\?(\S+)'\n```\n\n```json\n([\s\S]*?)```/g),
    );
    return { heading: section.split('\n')[0], section, examples };
  });

test('docs/features.md has a section with an example for every feature', () => {
  const named = featureNames.map((name) => sections.filter(({ section }) => section.includes(`\`${name}\``)).length);
  expect(named).toEqual(featureNames.map(() => 1));
  expect(sections.map(({ examples }) => examples.length)).not.toContain(0);
});

test.each(sections)('the queries below "$heading" have the answers that are printed', async ({ section, examples }) => {
  const features = featureNames.filter((name) => section.includes(`\`${name}\``));
  const content = await openShared(join(project, 'data/demo'), { features });
  for (const [, path, query, answer] of examples) {
    expect((await ask(content, path, decodeURIComponent(query))).body).toEqual(JSON.parse(answer));
  }
});
