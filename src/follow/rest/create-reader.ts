import type { OnUnchanged, RestSource, SourceReader } from '../source-reader.ts';
import { RestReader } from './rest-reader.ts';

/** Creates the reader of a Strapi at an address, in the thread that reads it. */
export function createReader(source: RestSource, onUnchanged: OnUnchanged): SourceReader {
  return new RestReader(source, onUnchanged);
}
