import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../../core/write-file.ts';
import { type Member, type Presence, PublicationError } from '../publication.ts';
import { parseJson, toMember } from '../stored-records.ts';

const expirySchema = z.object({ until: z.number() });

/** Members as files of a folder, with the time until which they count. Machines that share the folder need equal clocks. */
export class FolderPresence implements Presence {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async renew(member: Member, seconds: number): Promise<void> {
    const text = JSON.stringify({ ...member, until: Date.now() + seconds * 1000 });
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeAtomically(this.#pathOf(member.id), [Buffer.from(text)]);
    } catch (error) {
      const cause = error as Error;
      throw new PublicationError(`cannot write in ${this.#folder}: ${cause.message}`, { cause });
    }
  }

  async members(): Promise<Member[]> {
    const members: Member[] = [];
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((each) => /^[0-9a-f]{64}\.json$/.test(each))) {
      const path = join(this.#folder, name);
      const text = await readFile(path, 'utf8').catch(() => null);
      const member = text === null ? null : readMember(text, path);
      if (member) members.push(member);
      else await rm(path, { force: true }).catch(() => {});
    }
    return members.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async leave(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true }).catch(() => {});
  }

  /** Ids may hold any characters. */
  #pathOf(id: string): string {
    return join(this.#folder, `${createHash('sha256').update(id).digest('hex')}.json`);
  }
}

/** Returns null for a member whose time has passed, and for what is none. */
function readMember(text: string, path: string): Member | null {
  try {
    const value = parseJson(text, path);
    const expiry = expirySchema.safeParse(value);
    return expiry.success && expiry.data.until > Date.now() ? toMember(value, path) : null;
  } catch (error) {
    if (error instanceof PublicationError) return null;
    throw error;
  }
}
