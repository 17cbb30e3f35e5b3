import { join } from 'node:path';
import { parseImagesAddress, parseName, parsePublicationAddress } from './addresses.ts';
import { FolderLog } from './folder/folder-log.ts';
import { FolderPresence } from './folder/folder-presence.ts';
import { FolderImages } from './images/folder-images.ts';
import { openHttpPlace } from './images/http-place.ts';
import type { ImageStore } from './images/image-store.ts';
import { RemoteImages } from './images/remote-images.ts';
import { openS3Place } from './images/s3-place.ts';
import { StoredImages } from './images/stored-images.ts';
import {
  type OpenedLog,
  type Presence,
  type Publication,
  PublicationError,
  type PublicationLog,
} from './publication.ts';
import { openRedis } from './redis/open-redis.ts';
import type { Environment } from './secrets.ts';

export interface PublicationSettings {
  /** `redis://HOST:PORT/DATABASE`, `rediss:`, `valkey:`, `valkeys:` or `file:///FOLDER`. */
  readonly to: string;
  readonly name: string;
  /** A folder, `http(s)://…` or `s3://BUCKET/PREFIX`. A `file:` address is the default. */
  readonly images?: string;
  /** Whether this process appends. Then its rights to do so are checked when the publication is opened. */
  readonly isPublisher?: boolean;
}

export interface OpenedPublication {
  readonly publication: Publication;
  readonly presence: Presence;
  /** Ends all connections. Pending calls reject. */
  close(): Promise<void>;
}

/**
 * Opens a publication. Users and passwords come from the environment. `log` is told of a server that may lose what is
 * published. Rejects with a PublicationError that names the address, without secrets.
 */
export async function openPublication(
  { to, name, images, isPublisher = false }: PublicationSettings,
  environment: Environment,
  log: (warning: string) => void,
): Promise<OpenedPublication> {
  const address = parsePublicationAddress(to);
  const place = images ?? (address.kind === 'folder' ? address.folder : undefined);
  if (place === undefined) {
    throw new PublicationError(`${to.split('?')[0]} holds no images: set "images" to a folder, http(s):// or s3://`);
  }
  const store = await openImages(place, parseName(name), environment);
  const opened =
    address.kind === 'folder'
      ? await openFolder(join(address.folder, name))
      : await openRedis(address, { name, isPublisher }, environment, log);
  return { publication: joinParts(opened.log, store), presence: opened.presence, close: opened.close };
}

async function openFolder(folder: string): Promise<OpenedLog> {
  const log = await FolderLog.open(folder);
  return { log, presence: new FolderPresence(join(folder, 'members')), close: async () => {} };
}

async function openImages(images: string, name: string, environment: Environment): Promise<ImageStore> {
  const address = parseImagesAddress(images);
  if (address.kind === 'folder') return new FolderImages(join(address.folder, name));
  if (address.kind === 'http') return new RemoteImages(await openHttpPlace(address.url, name, environment));
  return new RemoteImages(openS3Place(address, name, environment));
}

function joinParts(log: PublicationLog, store: ImageStore): Publication {
  const images = new StoredImages(store, () => log.readHead());
  return {
    readHead: () => log.readHead(),
    appendIf: (expected, head, changes) => log.appendIf(expected, head, changes),
    readFrom: (after, options) => log.readFrom(after, options),
    putImage: (path, signal) => images.putImage(path, signal),
    getImage: (image, path, signal) => images.getImage(image, path, signal),
  };
}
