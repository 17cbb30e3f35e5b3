import { type Member, type Presence, PublicationError } from '../publication.ts';
import { parseJson, toMember } from '../stored-records.ts';
import type { RedisConnection } from './connection.ts';
import type { Keys } from './keys.ts';

/** Members as keys that expire, and a set of their ids, since a search for keys looks at all those of other programs. */
export class RedisPresence implements Presence {
  readonly #connection: RedisConnection;
  readonly #keys: Keys;

  constructor(connection: RedisConnection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async renew(member: Member, seconds: number): Promise<void> {
    const milliseconds = String(Math.max(1, Math.round(seconds * 1000)));
    await this.#connection.send([
      ['SET', this.#keys.member(member.id), JSON.stringify(member), 'PX', milliseconds],
      ['SADD', this.#keys.members, member.id],
    ]);
  }

  async members(): Promise<Member[]> {
    const [ids] = (await this.#connection.send([['SMEMBERS', this.#keys.members]])) as [string[]];
    if (ids.length === 0) return [];
    const keys = ids.map((id) => this.#keys.member(id));
    const [texts] = (await this.#connection.send([['MGET', ...keys]])) as [(string | null)[]];
    const expired = ids.filter((_, i) => texts[i] === null);
    // an id that is renewed in this moment is added again by the next renewal
    if (expired.length > 0) await this.#connection.send([['SREM', this.#keys.members, ...expired]]).catch(() => {});
    const members = texts.flatMap((text, i) => (text === null ? [] : (readMember(text, keys[i]) ?? [])));
    return members.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async leave(id: string): Promise<void> {
    await this.#connection.send([
      ['DEL', this.#keys.member(id)],
      ['SREM', this.#keys.members, id],
    ]);
  }
}

/** Returns null for what is no member. */
function readMember(text: string, key: string): Member | null {
  try {
    return toMember(parseJson(text, key), key);
  } catch (error) {
    if (error instanceof PublicationError) return null;
    throw error;
  }
}
