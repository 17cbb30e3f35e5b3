/** Random edits of the museum through Strapi's own API. */
import type { Random } from '../random.ts';
import {
  changeMedia,
  changeStatus,
  create,
  editComponents,
  editValues,
  moveRelations,
  remove,
} from './document-edits.ts';
import type { Edit } from './edit.ts';
import { addLocale, removeLocale } from './locale-edits.ts';
import { changeRole, changeUsers, removeUser, upload } from './people-edits.ts';

interface WeightedEdit {
  readonly edit: Edit;
  /** In percent. */
  readonly share: number;
  /** Strapi sends no webhook for it. */
  readonly isSilent?: true;
}

/** Edits by their name, each with its share. */
export const edits: Readonly<Record<string, WeightedEdit>> = {
  'change values': { edit: editValues, share: 23 },
  create: { edit: create, share: 9 },
  delete: { edit: remove, share: 4 },
  'add a locale': { edit: addLocale, share: 5 },
  'delete a locale': { edit: removeLocale, share: 5 },
  'publish or unpublish': { edit: changeStatus, share: 17 },
  'move relations': { edit: moveRelations, share: 13 },
  'change components': { edit: editComponents, share: 10 },
  upload: { edit: upload, share: 4 },
  'change media': { edit: changeMedia, share: 4 },
  'change users': { edit: changeUsers, share: 3 },
  'delete a user': { edit: removeUser, share: 1, isSilent: true },
  'change a role': { edit: changeRole, share: 2, isSilent: true },
};

/** Draws the name of an edit by the shares. */
export function drawEdit(random: Random): string {
  let left = random.integer(1, 100);
  for (const [name, { share }] of Object.entries(edits)) if ((left -= share) <= 0) return name;
  return 'change values';
}
