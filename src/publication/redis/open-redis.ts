import { type OpenedLog, PublicationError } from '../publication.ts';
import type { Environment } from '../secrets.ts';
import { type Command, RedisConnection } from './connection.ts';
import { type Keys, keysOf } from './keys.ts';
import { RedisLog } from './redis-log.ts';
import { RedisPresence } from './redis-presence.ts';
import { type RedisServer, readServer } from './server.ts';

/** Opens a name on a Redis or Valkey. Rejects with a PublicationError that says what is wrong there. */
export async function openRedis(
  address: RedisServer['address'],
  { name, isPublisher }: { readonly name: string; readonly isPublisher: boolean },
  environment: Environment,
  log: (warning: string) => void,
): Promise<OpenedLog> {
  const server = await readServer(address, environment);
  const connections = await openBoth(server);
  const [connection, reader] = connections;
  const close = async () => {
    for (const each of connections) each.close();
  };
  try {
    const keys = keysOf(name);
    const redis = new RedisLog(keys, connection, reader);
    const presence = new RedisPresence(connection, keys);
    await redis.readHead().catch((error) => {
      throw withKey(error, keys.head);
    });
    for (const [key, command] of readsOf(keys)) {
      await connection.send([command]).catch((error) => {
        throw withKey(error, key);
      });
    }
    await presence.members().catch((error) => {
      throw withKey(error, keys.members);
    });
    if (isPublisher) {
      await redis.checkRights().catch((error) => {
        throw withKey(error, keys.parts);
      });
    }
    const policy = await evictionPolicy(connection);
    if (policy?.startsWith('allkeys-')) {
      log(
        `${address.text} may remove what is published when its memory is full: its maxmemory-policy is "${policy}". ` +
          'Set it to "noeviction", or use a server of its own',
      );
    }
    return { log: redis, presence, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns commands that show whether this user may read the keys, and whether they hold data of another program. */
function readsOf(keys: Keys): [string, Command][] {
  return [
    [keys.log, ['XRANGE', keys.log, '-', '+', 'COUNT', '1']],
    [keys.wake, ['XREAD', 'STREAMS', keys.wake, '$']],
    [keys.part(''), ['LRANGE', keys.part(''), '0', '0']],
  ];
}

async function openBoth(server: RedisServer): Promise<[RedisConnection, RedisConnection]> {
  const first = await RedisConnection.open(server);
  try {
    return [first, await RedisConnection.open(server)];
  } catch (error) {
    first.close();
    throw error;
  }
}

/** Names the key that another program uses. */
function withKey(error: unknown, key: string): unknown {
  const cause = error instanceof PublicationError ? (error.cause as Error | undefined) : undefined;
  if (!cause?.message.startsWith('WRONGTYPE')) return error;
  return new PublicationError(`the key ${key} holds data of another program: publish under another name`, { cause });
}

/** Returns what a server does when its memory is full, or null if this user may not know. */
async function evictionPolicy(connection: RedisConnection): Promise<string | null> {
  const settings = await connection.send([['CONFIG', 'GET', 'maxmemory-policy']]).catch(() => null);
  const policy = (settings?.[0] as string[] | undefined)?.[1];
  if (policy !== undefined) return policy;
  const info = await connection.send([['INFO', 'memory']]).catch(() => null);
  return /^maxmemory_policy:(\S+)/m.exec(String(info?.[0]))?.[1] ?? null;
}
