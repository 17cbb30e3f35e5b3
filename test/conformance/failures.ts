/** The expected reply if the recorded server failed: exactly these ids on this page, or a rejection of this key. */
export type Ruled = { reason: string } & ({ ids: number[]; pagination: object } | { key: string; param: string });

/**
 * The requests that the recorded server answered with 500, by their number. The ids were found in the
 * export's entries and links, without the engine.
 */
export const failures: Record<number, Ruled> = {
  132: {
    reason: 'a $or below a field is a $or over that field: fewer than 10 seats, or more than 60',
    ids: [13, 21, 26, 30, 37, 41, 43, 54, 57, 68, 76, 81],
    pagination: { page: 1, pageSize: 25, pageCount: 1, total: 12 },
  },
  133: {
    reason: 'a $and needs a list of conditions; an empty text is none, and to ignore it would widen the answer',
    key: '$and',
    param: 'filters',
  },
  136: {
    reason: 'a $or needs a list of conditions, and a text is none',
    key: '$or',
    param: 'filters',
  },
  146: {
    reason: '$not below a relation moves to the leaf: some category has a rank, and another one than 3',
    ids: [2, 6, 17, 26, 32, 35, 37, 41, 43, 48, 54, 59, 61, 72, 76, 81, 82, 84],
    pagination: { page: 1, pageSize: 25, pageCount: 1, total: 18 },
  },
  183: {
    reason: 'an operator that compares needs a field to compare, and the root is none',
    key: '$eq',
    param: 'filters',
  },
  193: {
    reason: 'no field has an empty name, and to ignore it would widen the answer to every field',
    key: '',
    param: 'fields',
  },
  776: {
    reason: 'no story begins with an underscore, which is an ordinary character: page 2 of nothing',
    ids: [],
    pagination: { page: 2, pageSize: 9, pageCount: 0, total: 0 },
  },
  849: {
    reason: 'two $not on the way to the leaf undo each other: some mentee has stars, and not 0 (11 and 12 follow)',
    ids: [1, 2, 3, 6],
    pagination: { page: 1, pageSize: 4 },
  },
  1049: {
    reason: '$not of a $or: the title is not null, and the description is one (not null) without i or I',
    ids: [30, 57, 15, 68, 6, 13, 54],
    pagination: { page: 1, pageSize: 9, pageCount: 1, total: 7 },
  },
  1376: {
    reason:
      '$not of two conditions is true of every child (id < 11 or id >= 7): parents 4, 7, 11, 9, 6 by name, downwards',
    ids: [4],
    pagination: { page: 1, pageSize: 1, pageCount: 5, total: 5 },
  },
  1429: {
    reason:
      "$not $endsWithi: a mentor whose name does not end on ien, so not O'Brien (7); born null first (13 follows)",
    ids: [18, 10, 14, 4, 12, 17],
    pagination: { page: 1, pageSize: 6 },
  },
  1650: {
    reason:
      'a restaurant whose tax is not 3.15 and not null; licences have no drafts, so a restaurant’s draft counts too, ' +
      'as in recording 721',
    ids: [20, 7, 6, 16],
    pagination: { start: 0, limit: 4, total: 13 },
  },
};
