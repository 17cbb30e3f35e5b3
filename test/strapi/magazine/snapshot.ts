import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEntries } from '../../../bench/content/rows.ts';
import type { Locale } from '../fill/people.ts';
import type { ContentType, Data } from '../fill/strapi.ts';
import { hasDrafts, isLocalized, type Version } from './documents.ts';

export interface Entry {
  uid: string;
  version: Version;
  /** As it stands in the file: what is null may be left out. */
  values: Data;
}

interface Settings {
  defaultLocale: string;
  locales: Locale[];
}

interface Role {
  type: string;
  permissions: string[];
}

export const fileType = 'plugin::upload.file';
export const userType = 'plugin::users-permissions.user';

/** The folder of a snapshot, as far as Strapi is filled with it. */
export class Snapshot {
  readonly settings: Settings;
  readonly roles: Role[];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.settings = this.#read('snapshot.json');
    this.roles = this.#read('roles.json');
  }

  /** All entries of all types, read from the files anew each time. */
  *entries(types: Record<string, ContentType>): Generator<Entry> {
    for (const file of readdirSync(join(this.#folder, 'entries'))) {
      const uid = uidOf(file.replace(/\.json$/, ''));
      const type = types[uid];
      for (const values of readEntries(join(this.#folder, 'entries', file))) {
        const locale = isLocalized(type) ? ((values.locale ?? this.settings.defaultLocale) as string) : null;
        const published = !hasDrafts(type) || values.status !== 'draft';
        yield { uid, version: { id: values.id as number, published, locale }, values };
      }
    }
  }

  #read<Content>(file: string): Content {
    return JSON.parse(readFileSync(join(this.#folder, file), 'utf8'));
  }
}

function uidOf(name: string): string {
  if (name === 'file') return fileType;
  return name === 'user' ? userType : `api::${name}.${name}`;
}
