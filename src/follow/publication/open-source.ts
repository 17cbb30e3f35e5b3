import { messageOf, SilentSourceError, SnapshotError } from '../../core/errors.ts';
import { type OpenedPublication, openPublication } from '../../publication/open-publication.ts';
import type { OnWarning, PublicationSource } from '../source-reader.ts';

/** Error replies of a Redis, and codes of TLS, that nobody mends by waiting. */
const lasting = [
  /^(?:NOAUTH|WRONGPASS|NOPERM|WRONGTYPE)\b/,
  /^(?:EPROTO|ERR_(?:SSL|TLS)|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/,
];

/**
 * Opens the publication of a replica, whose address was checked. Rejects with a SnapshotError for a password, a right or a
 * certificate that is wrong, and otherwise with a SilentSourceError.
 */
export async function openSource(source: PublicationSource, onWarning: OnWarning): Promise<OpenedPublication> {
  try {
    return await openPublication(source, process.env, onWarning);
  } catch (error) {
    const { code = '', message = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    const isLasting = [code, message].some((text) => lasting.some((pattern) => pattern.test(text)));
    throw isLasting ? new SnapshotError([messageOf(error)]) : new SilentSourceError([messageOf(error)]);
  }
}
