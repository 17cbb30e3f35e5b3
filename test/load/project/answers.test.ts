/** A project answers as its export, request by request. */
import { expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { Content } from '../../strapi/queries/content.ts';
import { randomRequest } from '../../strapi/queries/requests.ts';
import { Random } from '../../strapi/random.ts';
import { answersOf, everyUrl } from '../../support/every-url.ts';
import { exportOf, recordedProjects, unpackProject } from './recorded-projects.ts';

/** Integers of the projects that Strapi rounds when it reads them from SQLite. */
const rounded: Record<string, string> = {
  '9007199254740993': '9007199254740992',
  '123456789012345678': '123456789012345680',
};
const isRounded = new RegExp(Object.keys(rounded).join('|'), 'g');

test.each(
  recordedProjects.flatMap((name) => (['strapi', 'document'] as const).map((dialect) => [name, dialect] as const)),
)('%s answers every kind of request as its export, dialect %s', async (name, dialect) => {
  const folder = unpackProject(name);
  const project = await open(folder, { dialect });
  const exported = await open(exportOf(name), { dialect, database: 'sqlite' });
  const urls = everyUrl((await loadSnapshot(folder)).store);
  if (name === 'museum') {
    const random = new Random(7);
    const content = await Content.read(exportOf(name));
    for (let i = 0; i < 400; i++) urls.push(randomRequest(random, content).path);
  }
  // a filter by a rounded integer finds other rows
  const comparable = urls.filter((url) => !/9007199254740|12345678901234/.test(url));
  const answers = (await answersOf(project, comparable)).map((text) =>
    text.replaceAll(isRounded, (digits) => rounded[digits]),
  );
  const expected = await answersOf(exported, comparable);
  for (const [index, url] of comparable.entries()) expect(answers[index], url).toBe(expected[index]);
  expect(answers.filter((text) => text.startsWith('200 ')).length).toBeGreaterThan(50);
});
