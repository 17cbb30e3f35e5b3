// A mistake in what a feature asks for is a 400 that names the place and the value.
import { describe, expect, test } from 'vitest';
import type { Feature } from '../naive/snapshot.ts';
import { features } from '../naive/snapshot.ts';
import { openShared } from '../support/open-shared.ts';

const articles = 'articles?';
const zone = `${articles}filters[parts]`;

/** A path with a mistake, and what the error says: the message, or the value in its details. */
const mistakes: [Feature, path: string, ...says: string[]][] = [
  ['populateWindow', `${articles}populate[categories][limit]=many`, '"many"', 'populate[categories][limit]'],
  ['populateWindow', `${articles}populate[categories][limit]=1.5`, '"1.5"', 'populate[categories][limit]'],
  ['populateWindow', `${articles}populate[categories][limit][a]=1`, 'populate[categories][limit]'],
  [
    'populateWindow',
    `${articles}populate[author][populate][articles][start]=-5`,
    '"-5"',
    'populate[author][populate][articles][start]',
  ],
  ['fallbackLocale', `${articles}locale=*&fallbackLocale=en`, 'fallbackLocale', '*'],
  ['fallbackLocale', `${articles}fallbackLocale=*`, 'fallbackLocale', '*'],
  ['fallbackLocale', `${articles}fallbackLocale[a][b]=en`, 'fallbackLocale'],
  ['deepPopulate', `${articles}populate=deep,11`, 'deep,11', 'populate', '10'],
  ['deepPopulate', `${articles}populate=deep,0`, 'deep,0', 'populate', '10'],
  ['deepPopulate', `${articles}populate=deep,x`, 'deep,x', 'populate', '10'],
  ['deepPopulate', `${articles}populate[0]=*&populate[1]=author.nope`, 'nope'],
  ['languageAware', `${articles}language=no such`, '"no such"', 'language'],
  ['languageAware', `${articles}language=`, 'language'],
  ['languageAware', `${articles}language[0]=de&language[1]=sv`, 'language'],
  ['countSort', `${articles}sort=author.$count`, '$count', 'author'],
  ['countSort', `${articles}sort=gallery.$count`, 'gallery'],
  ['countSort', `${articles}sort=categories.articles.$count`, 'categories'],
  ['countSort', `${articles}sort[categories][$count][a]=asc`, '$count'],
  ['zoneFilters', `${zone}[on][block.nope][text]=x`, 'block.nope', 'parts', 'block.quote', 'block.embed'],
  ['zoneFilters', `${zone}[on][block.quote][nope]=x`, 'nope', 'parts'],
  ['zoneFilters', `${zone}[on][block.quote][text][$nope]=x`, '$nope', 'parts'],
  ['zoneFilters', `${zone}[on]=x`, '"x"', 'parts'],
  ['zoneFilters', `${zone}[text]=x`, 'parts', 'on'],
  ['randomSort', `${articles}sort=$random:a b`, 'a b', 'sort'],
  ['randomSort', `${articles}sort=$random:a,title`, '$random', 'sort'],
  ['randomSort', `${articles}sort[0]=title&sort[1]=$random:a`, '$random', 'sort'],
  ['randomSort', `${articles}sort=$random`, '$random'],
  ['randomSort', `${articles}sort=$random:${'a'.repeat(65)}`, '$random', '64'],
  ['randomSort', `${articles}populate[credits][sort]=$random:a`, '$random', 'credits'],
  ['fileFolders', 'upload/files?folder[a]=b', 'folder'],
];

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test.each(mistakes)('%s: %s', async (_, path, ...says) => {
    const content = await openShared('data/demo', { dialect, public: true, features: [...features] });
    const { status, body } = await content.answerPath(encodeURI(path));
    const { error } = JSON.parse(String(body));
    expect({ path, status, error }).toMatchObject({ path, status: 400, error: { name: 'ValidationError' } });
    for (const part of says) expect(`${error.message} (${JSON.stringify(error.details.value)})`).toContain(part);
    expect(error.details).toMatchObject({
      source: 'query',
      param: expect.stringMatching(/^(sort|filters|populate|language|fallbackLocale|folder)$/),
    });
  });
});

test('an unknown locale to fall back to is answered as an unknown locale', async () => {
  const read = async (dialect: 'document' | 'strapi', path: string) => {
    const content = await openShared('data/demo', { dialect, public: true, features: [...features] });
    const { status, body } = await content.answerPath(path);
    const { data, error } = JSON.parse(String(body));
    return error ? [status, error.message.replaceAll('fallbackLocale', 'locale')] : [status, data.length];
  };
  const [status, message] = await read('document', 'articles?fallbackLocale=xx');
  expect([status, message]).toEqual(await read('document', 'articles?locale=xx'));
  expect(await read('strapi', 'articles?locale=xx&fallbackLocale=yy')).toEqual([200, 0]);
  expect(await read('strapi', 'articles?locale=xx&fallbackLocale=yy,en')).toEqual([200, 25]);
});

test('an unknown name of a feature is an error that names it', async () => {
  await expect(openShared('data/demo', { features: ['countSorts'] as never })).rejects.toThrow(
    /features.*countSorts|countSorts/,
  );
});
