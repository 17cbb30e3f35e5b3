// The guide's entries as served with their default fields, written by hand.

const stamps = {
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  publishedAt: '2026-01-01T00:00:00.000Z',
};

export const ada = {
  id: 51,
  documentId: 'ada',
  name: 'Ada',
  stars: 3,
  bio: 'Grew up\nby the sea',
  born: '1980-02-29',
  ...stamps,
};
export const bo = { id: 52, documentId: 'bo', name: 'bo', stars: 2, bio: null, born: '1999-12-31', ...stamps };
export const cy = { id: 53, documentId: 'cy', name: 'Cy', stars: 0, bio: '', born: null, ...stamps };
export const dee = { id: 54, documentId: 'dee', name: 'Dée', stars: null, bio: null, born: '1980-02-29', ...stamps };
export const eve = { id: 55, documentId: 'eve', name: null, stars: 3, bio: null, born: null, ...stamps };

export const soup = { id: 71, documentId: 'soup', name: 'soup', rank: 1, ...stamps };
export const bread = { id: 72, documentId: 'bread', name: 'Bread', rank: 2, ...stamps };
export const sweet = { id: 73, documentId: 'sweet', name: 'süß', rank: 3, ...stamps };
export const fish = { id: 74, documentId: 'fish', name: 'fish', rank: null, ...stamps };
export const odd = { id: 75, documentId: 'odd', name: '%_\\', rank: -1, ...stamps };
export const unused = { id: 76, documentId: 'unused', name: null, rank: 5, ...stamps };

export const licence1 = {
  id: 61,
  documentId: 'licence-1',
  number: 'L-1',
  expires: '2030-01-01T00:00:00.000Z',
  ...stamps,
};

export const first = { id: 2, documentId: 'first', title: 'First', reading: 3, ...stamps, locale: 'en' };
export const premier = { id: 4, documentId: 'first', title: 'Premier', reading: 3, ...stamps, locale: 'fr' };
export const second = { id: 6, documentId: 'second', title: 'Second', reading: null, ...stamps, locale: 'en' };
export const quatrieme = { id: 9, documentId: 'fourth', title: 'Quatrième', reading: 1, ...stamps, locale: 'fr' };
export const fifth = { id: 10, documentId: 'fifth', title: 'Fifth', reading: 5, ...stamps, locale: 'en' };

const unpublished = { ...stamps, publishedAt: null, locale: 'en' };
export const firstDraft = { id: 1, documentId: 'first', title: 'First, edited', reading: 4, ...unpublished };
export const secondDraft = { id: 5, documentId: 'second', title: 'Second', reading: null, ...unpublished };
export const thirdDraft = { id: 7, documentId: 'third', title: 'Third', reading: 7, ...unpublished };

export const mark1 = { id: 81, documentId: 'mark-1', label: 'first', ...stamps };
export const mark2 = { id: 82, documentId: 'mark-2', label: 'second', ...stamps };
export const mark3 = { id: 83, documentId: 'mark-3', label: null, ...stamps };

export const home = { id: 1, documentId: 'home', headline: 'Welcome', ...stamps, locale: 'en' };
export const accueil = { id: 2, documentId: 'home', headline: 'Bienvenue', ...stamps, locale: 'fr' };

export const john = {
  id: 1,
  documentId: 'john',
  username: 'John',
  email: 'john@example.org',
  provider: 'local',
  confirmed: true,
  blocked: false,
  ...stamps,
};
export const jane = { ...john, id: 2, documentId: 'jane', username: 'jane', email: 'jane@example.org' };
export const bob = { ...john, id: 3, documentId: 'bob', username: 'bob', email: 'bob@example.org', blocked: true };

const blankFile = { alternativeText: null, caption: null, focalPoint: null, width: null, height: null, formats: null };
export const cover1 = {
  ...blankFile,
  id: 1,
  documentId: 'cover-1',
  name: 'cover 1.jpg',
  alternativeText: 'A café',
  width: 1400,
  height: 1100,
  formats: { thumbnail: { url: '/uploads/thumbnail_cover_1.jpg', width: 156 } },
  hash: 'cover_1',
  ext: '.jpg',
  mime: 'image/jpeg',
  size: 22.3,
  url: '/uploads/cover_1.jpg',
  previewUrl: null,
  provider: 'local',
  provider_metadata: null,
  ...stamps,
};
export const cover2 = {
  ...blankFile,
  id: 2,
  documentId: 'cover-2',
  name: 'cover 2.png',
  hash: 'cover_2',
  ext: '.png',
  mime: 'image/png',
  size: 18,
  url: '/uploads/cover_2.png',
  previewUrl: null,
  provider: 'local',
  provider_metadata: null,
  ...stamps,
};

/** Restaurant 1, which has a value for every attribute. */
export const lodzCafe = {
  id: 1,
  documentId: 'lodz-cafe',
  name: 'Łódź café',
  motto: 'Open late, 100% open',
  story: '## Łódź\n\nA *café*.',
  body: [{ type: 'paragraph', children: [{ type: 'text', text: 'Borscht & bread' }] }],
  price: 'mid',
  contact: 'hello@lodz.example',
  slug: 'lodz-cafe',
  opened: '2010-06-07',
  kitchenOpens: '08:00:00',
  inspectedAt: '2020-01-01T00:00:00.000Z',
  stampedAt: '1577836800000',
  seats: 40,
  visits: '9007199254740993',
  score: 4.5,
  tax: 10.01,
  vegan: true,
  extras: { wifi: true, tables: { inside: 4 } },
  tags: ['late', 'café'],
  createdAt: '2026-01-01T08:00:00.000Z',
  updatedAt: '2026-01-01T09:00:00.000Z',
  publishedAt: '2026-01-01T10:00:00.000Z',
};

/** Restaurant 12, which has no values. */
export const nameless = {
  id: 12,
  documentId: 'nameless',
  name: null,
  motto: null,
  story: null,
  body: null,
  price: null,
  contact: null,
  slug: null,
  opened: null,
  kitchenOpens: null,
  inspectedAt: null,
  stampedAt: null,
  seats: null,
  visits: null,
  score: null,
  tax: null,
  vegan: null,
  extras: null,
  tags: null,
  createdAt: '2026-01-12T08:00:00.000Z',
  updatedAt: '2026-01-12T09:00:00.000Z',
  publishedAt: '2026-01-12T10:00:00.000Z',
};

/** Restaurant 9, without relations and components, which only `populate` returns. */
export const obrien = {
  ...nameless,
  id: 9,
  documentId: 'obrien',
  name: 'O\'Brien "Joe"',
  motto: 'Open late',
  price: 'mid',
  contact: 'joe@obrien.example',
  slug: 'obrien',
  opened: '2020-01-01',
  kitchenOpens: '08:00:00',
  inspectedAt: '2020-01-01T00:00:00.000Z',
  stampedAt: '1577836800000',
  seats: 40,
  visits: '9007199254740993',
  score: 4.49,
  tax: 10.1,
  vegan: true,
  createdAt: '2026-01-09T08:00:00.000Z',
  updatedAt: '2026-01-09T09:00:00.000Z',
  publishedAt: '2026-01-09T10:00:00.000Z',
};

/** Restaurant 2, `nearby` of restaurant 1. */
export const strasse = {
  ...nameless,
  id: 2,
  documentId: 'strasse',
  name: 'STRASSE',
  price: 'low',
  contact: 'INFO@strasse.example',
  slug: 'strasse',
  opened: '2015-12-31',
  kitchenOpens: '23:59:59.999',
  seats: 0,
  visits: '9007199254740992',
  score: 0.1,
  tax: 0.3,
  vegan: false,
  extras: {},
  tags: [],
  createdAt: '2026-01-02T08:00:00.000Z',
  updatedAt: '2026-01-02T09:00:00.000Z',
  publishedAt: '2026-01-02T10:00:00.000Z',
};

/** Restaurant 5, `nearby` of restaurant 1. */
export const istanbul = {
  ...nameless,
  id: 5,
  documentId: 'istanbul',
  name: 'istanbul',
  motto: 'one_two',
  slug: 'istanbul-2',
  inspectedAt: '2024-02-29T12:30:00.000Z',
  stampedAt: '1709209800000',
  seats: 12,
  vegan: false,
  createdAt: '2026-01-05T08:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
  publishedAt: '2026-01-05T10:00:00.000Z',
};

/** Restaurant 6. */
export const rye = {
  ...nameless,
  id: 6,
  documentId: 'rye',
  name: '100% rye',
  motto: 'a\\b',
  story: 'Rye & more',
  body: [{ type: 'heading', level: 2, children: [{ type: 'text', text: 'Rye', bold: true }] }],
  price: 'mid',
  contact: 'rye@example.org',
  slug: 'rye',
  opened: '2020-01-01',
  kitchenOpens: '12:30:00.500',
  inspectedAt: '2019-12-31T23:59:59.000Z',
  stampedAt: '1577836799999',
  seats: 100,
  visits: '0',
  score: 4.5,
  tax: 10.01,
  vegan: true,
  extras: false,
  createdAt: '2026-01-06T08:00:00.000Z',
  updatedAt: '2026-01-06T09:00:00.000Z',
  publishedAt: '2026-01-06T10:00:00.000Z',
};
