/** Downloads the uploaded files of a Strapi with the local upload provider. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '../../core/plain-object.ts';
import { jsonLines } from '../../load/parse/elements.ts';
import { fileType } from '../../model/schema/schema.ts';
import type { StrapiClient } from './strapi-client.ts';

export interface PulledUploads {
  readonly fileCount: number;
  /** The addresses without a file. */
  readonly missing: readonly string[];
}

/** The address of a file in the local upload provider. Its name has no slash and does not begin with a dot. */
const uploadAddress = /^\/uploads\/([^/\\?#.][^/\\?#]*)$/;

/**
 * Adds the files that the entries of a pulled export name to it, as `assets/uploads`. Files with an address on another
 * server are left there. `work` is a folder that holds the files until all are downloaded, so that an interrupted
 * download can be resumed.
 */
export async function pullUploads(client: StrapiClient, folder: string, work: string): Promise<PulledUploads> {
  await mkdir(work, { recursive: true });
  const missing: string[] = [];
  let fileCount = 0;
  for await (const addresses of addressBatches(join(folder, 'entities', 'entities_00001.jsonl'))) {
    await Promise.all(
      addresses.map(async (address) => {
        const file = join(work, decodeURIComponent(uploadAddress.exec(address)![1]));
        if (existsSync(file) || (await client.download(address, file))) fileCount++;
        else missing.push(address);
      }),
    );
  }
  await mkdir(join(folder, 'assets'), { recursive: true });
  await rename(work, join(folder, 'assets', 'uploads'));
  return { fileCount, missing };
}

/** Yields the addresses of files and their formats, each once. */
async function* addressBatches(path: string): AsyncGenerator<string[]> {
  const known = new Set<string>();
  for await (const lines of jsonLines(createReadStream(path))) {
    const fresh: string[] = [];
    for (const { value } of lines) {
      const { type, data } = value as { type?: unknown; data?: unknown };
      if (type !== fileType || !isPlainObject(data)) continue;
      const formats = isPlainObject(data.formats) ? Object.values(data.formats).filter(isPlainObject) : [];
      for (const { url } of [data, ...formats]) {
        if (typeof url !== 'string' || !isFileAddress(url) || known.has(url)) continue;
        known.add(url);
        fresh.push(url);
      }
    }
    yield fresh;
  }
}

function isFileAddress(address: string): boolean {
  const name = uploadAddress.exec(address)?.[1];
  try {
    return name !== undefined && !/[/\\\0]/.test(decodeURIComponent(name));
  } catch {
    return false;
  }
}
