import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { writeAtomically } from '../../core/write-file.ts';
import { listFiles } from '../../load/files.ts';

/** Writes the files of a folder as a `.tar.gz`. The archive appears when it is complete. */
export async function packExport(folder: string, path: string): Promise<void> {
  const archive = pack();
  const packed = archive.pipe(createGzip());
  const adding = addFiles(archive, folder);
  // the error of a file ends the archive, and is thrown below
  adding.catch((error: Error) => packed.destroy(error));
  await writeAtomically(path, packed as AsyncIterable<Buffer>);
  await adding;
}

async function addFiles(archive: ReturnType<typeof pack>, folder: string): Promise<void> {
  const { files } = await listFiles(folder);
  for (const name of files.sort()) {
    const path = join(folder, name);
    const { size } = await stat(path);
    await pipeline(createReadStream(path), archive.entry({ name, size }));
  }
  archive.finalize();
}
