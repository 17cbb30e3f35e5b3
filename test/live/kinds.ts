import {
  type Change,
  changeComponents,
  changeVersion,
  editLinks,
  editValues,
  insert,
  insertBelow,
  moveLinks,
  publish,
  remove,
  revive,
} from './changes.ts';
import { broken, changeAccess, changeLocales, many, several } from './more-changes.ts';

const single: Record<string, Change> = {
  editValues,
  changeComponents,
  insert,
  publish,
  remove,
  revive,
  insertBelow,
  changeVersion,
  moveLinks,
  editLinks,
};
const anySeveral = several(Object.values(single));

/** All kinds of changes. */
export const kinds: Readonly<Record<string, Change>> = {
  ...single,
  several: anySeveral,
  editMany: many(editValues),
  changeAccess,
  changeLocales,
  empty: () => ({ entities: [], links: [] }),
};

/** A batch that must be rejected. */
export const brokenBatch = broken(anySeveral);
