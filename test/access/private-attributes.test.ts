// Definitions that look as if they make an attribute private but do not: rejected if strict, reported if tolerant.
import { describe, expect, test } from 'vitest';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { entity, filesOf, folderOf, openParts, type Parts } from '../exports/exports.ts';
import { loadError } from '../support/broken.ts';
import { ask } from '../support/guide.ts';

const text = { type: 'string' };

interface Mistake {
  /** What is added to the attribute `secret`, to the options of its type, and to the type. */
  attribute?: object;
  options?: Record<string, unknown>;
  type?: object;
}

const inExports: [title: string, mistake: Mistake, said: string][] = [
  ['"private" as a text', { attribute: { private: 'true' } }, '"private" must be true or false, not "true"'],
  ['"private" as a number', { attribute: { private: 1 } }, '"private" must be true or false, not 1'],
  ['"private" as null', { attribute: { private: null } }, '"private" must be true or false, not null'],
  ['"Private"', { attribute: { Private: true } }, 'unknown key "Private" (did you mean "private"?)'],
  ['"privte"', { attribute: { privte: true } }, 'unknown key "privte" (did you mean "private"?)'],
  ['a list beside the options', { type: { privateAttributes: ['secret'] } }, '"privateAttributes" has no effect'],
  ['a misspelled list', { options: { privateAtributes: ['secret'] } }, 'options.privateAtributes has no effect'],
  ['a list in other words', { options: { private_attributes: 'secret' } }, 'options.private_attributes has no effect'],
  ['a list without a letter', { options: { prvateAtributes: ['secret'] } }, 'options.prvateAtributes has no effect'],
  ['a short list', { options: { private: ['secret'] } }, 'options.private has no effect'],
];

function partsOf({ attribute, options, type }: Mistake): Parts {
  const note = {
    uid: 'api::note.note',
    modelType: 'contentType',
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes' },
    options: { draftAndPublish: false, ...options },
    attributes: { title: text, secret: { ...text, ...attribute } },
    ...type,
  };
  const other = { name: 'other', attributes: { title: text } };
  return { types: [other], schemas: [note], entities: [entity('note', 1, { title: 'One', secret: 'hidden?' })] };
}

async function warningOf(parts: Parts): Promise<string | undefined> {
  const { summary } = await openParts(parts, { public: true });
  return summary.warnings.find(({ kind }) => kind === 'ineffective-privacy')?.message;
}

describe('in an export', () => {
  test.each(inExports)('%s is reported and served as by Strapi', async (_, mistake, said) => {
    const parts = partsOf(mistake);
    const content = await openParts(parts, { public: true });
    const { body } = await ask(content, '/api/notes', '');
    expect(body.data).toMatchObject([{ secret: 'hidden?' }]);
    const warning = await warningOf(parts);
    expect(warning).toContain('attribute secret: ');
    expect(warning).toContain(said);
    const { message } = await loadError(folderOf(filesOf(parts)), { tolerance: 'strict' });
    expect(message).toContain(`attribute secret: ${said}`);
  });

  test.each<[title: string, mistake: Mistake]>([
    ['true', { attribute: { private: true } }],
    ['in the options', { options: { privateAttributes: ['secret'] } }],
    ['false, but in the options', { attribute: { private: false }, options: { privateAttributes: ['secret'] } }],
  ])('a definition that Strapi understands (%s) makes the attribute private without a warning', async (_, mistake) => {
    const parts = partsOf(mistake);
    const { body } = await ask(await openParts(parts, { public: true }), '/api/notes', '');
    expect((body.data as object[])[0]).not.toHaveProperty('secret');
    expect(await warningOf(parts)).toBeUndefined();
  });

  test.each(['uniqueAttributes', 'pickAttributes', 'primary', 'draft'])('%s is an unrelated option', async (key) => {
    expect(await warningOf(partsOf({ options: { [key]: ['secret'] }, attribute: { [key]: true } }))).toBeUndefined();
  });

  test('a listed name without an attribute is reported with the nearest name', async () => {
    const parts = partsOf({ options: { privateAttributes: ['secert', 'createdAt', 'documentId'] } });
    const warning = await warningOf(parts);
    expect(warning).toContain('attribute secert: "privateAttributes" names an attribute that does not exist');
    expect(warning).toContain('(did you mean "secret"?)');
    expect(warning).toContain('attribute documentId: "privateAttributes" has no effect on this attribute');
    expect(warning).not.toContain('attribute createdAt');
  });

  test('the warning names every attribute', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `secret${i}`);
    const attributes = Object.fromEntries(names.map((name) => [name, { ...text, private: 'yes' }]));
    const warning = await warningOf({ types: [{ name: 'note', attributes }] });
    for (const name of names) expect(warning).toContain(`attribute ${name}: `);
  });

  test('creators and localizations can be private, the locale of a localized type cannot', async () => {
    const hidden = { options: { populateCreatorFields: true, privateAttributes: ['createdBy', 'localizations'] } };
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const content = await openParts(partsOf({ ...hidden, type: localized }), { public: true });
    expect((await ask(content, '/api/notes', 'populate=createdBy')).status).toBe(400);
    expect((await ask(content, '/api/notes', 'populate=localizations')).status).toBe(400);
    const locale = partsOf({ options: { privateAttributes: ['locale'] }, type: localized });
    expect((await loadError(folderOf(filesOf(locale)))).message).toContain('cannot hide the locale');
  });
});

describe('in a JSON snapshot', () => {
  const snapshotOf = ({ attribute, options, type }: Mistake, components = {}): JsonSnapshot => ({
    contentTypes: [
      {
        info: { singularName: 'note', pluralName: 'notes' },
        ...(options && { options }),
        attributes: { title: text, secret: { ...text, ...attribute } },
        ...type,
      },
    ],
    components,
    entries: { note: [{ documentId: 'a', secret: 'hidden?' }] },
  });

  test.each(inExports)('%s is rejected', async (_, mistake) => {
    const { message } = await loadError(snapshotOf(mistake));
    expect(message).toMatch(/contentTypes note.*(privat|privte|prvate)/i);
  });

  test('a list of a component that is not a list of names is rejected', async () => {
    const components = { 'a.b': { options: { privateAttributes: 'secret' }, attributes: { secret: text } } };
    const { message } = await loadError(snapshotOf({}, components as never));
    expect(message).toContain('components a.b: options.privateAttributes: must be of type array, is "secret"');
  });

  test('"private" as text is reported by a tolerant load and served as by Strapi', async () => {
    const snapshot = snapshotOf({ attribute: { private: 'true' } });
    const content = await open(snapshot, { tolerance: 'tolerant', public: true });
    expect((await ask(content, '/api/notes', '')).body.data).toMatchObject([{ secret: 'hidden?' }]);
    expect(content.summary.warnings).toMatchObject([
      { kind: 'ineffective-privacy', message: expect.stringContaining('attribute secret') },
    ]);
  });
});
