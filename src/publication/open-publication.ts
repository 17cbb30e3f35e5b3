import { join } from 'node:path';
import { parseImagesAddress, parseName, parsePublicationAddress } from './addresses.ts';
import { FolderLog } from './folder/folder-log.ts';
import { FolderPresence } from './folder/folder-presence.ts';
import { FolderImages } from './images/folder-images.ts';
import type { ImageStore } from './images/image-store.ts';
import { StoredImages } from './images/stored-images.ts';
import { type Presence, type Publication, PublicationError, type PublicationLog } from './publication.ts';

export interface PublicationSettings {
  /** `redis://HOST:PORT/DATABASE`, `rediss:`, `valkey:`, `valkeys:` or `file:///FOLDER`. */
  readonly to: string;
  readonly name: string;
  /** A folder, `http(s)://…` or `s3://BUCKET/PREFIX`. A `file:` address is the default. */
  readonly images?: string;
  /** Whether this process appends. Then its rights to do so are checked when the publication is opened. */
  readonly isPublisher?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

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
  settings: PublicationSettings,
  _environment: Environment,
  _log: (warning: string) => void,
): Promise<OpenedPublication> {
  const name = parseName(settings.name);
  const address = parsePublicationAddress(settings.to);
  const images = settings.images ?? (address.kind === 'folder' ? address.folder : undefined);
  if (images === undefined) {
    throw new PublicationError(
      `no address of images for ${settings.to}: set "images" to a folder, http(s):// or s3://`,
    );
  }
  const store = openImages(images, name);
  if (address.kind !== 'folder') throw new PublicationError(`${address.text} cannot be opened yet`);
  const folder = join(address.folder, name);
  const log = await FolderLog.open(folder);
  const presence = new FolderPresence(join(folder, 'members'));
  return { publication: joinParts(log, store), presence, close: async () => {} };
}

function openImages(images: string, name: string): ImageStore {
  const address = parseImagesAddress(images);
  if (address.kind !== 'folder') throw new PublicationError(`${images} cannot be opened yet`);
  return new FolderImages(join(address.folder, name));
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
