/** Writers that compete for each version. As a program: `write-versions.ts TO IMAGES NAME LAST ID…`, prints what they won. */
import { realpathSync } from 'node:fs';
import { openPublication } from '../../src/publication/open-publication.ts';
import type { Publication } from '../../src/publication/publication.ts';
import { headAt } from './contents.ts';

/** Appends versions after the present head up to `last`, and returns those that this writer has won. */
export async function writeVersions(publication: Publication, id: string, last: number): Promise<number[]> {
  const won: number[] = [];
  for (let head = (await publication.readHead())!; head.sequence < last; ) {
    const sequence = head.sequence + 1;
    const digest = `${sequence} by ${id}`;
    const next = { ...headAt(sequence), digest };
    const change = { epoch: 1, sequence, digests: { before: head.digest, after: digest }, changes: id };
    const refused = await publication.appendIf(head, next, [change]);
    if (refused === null) won.push(sequence);
    head = refused === null ? next : refused.head!;
  }
  return won;
}

if (realpathSync(process.argv[1]) === import.meta.filename) {
  const [to, images, name, last, ...ids] = process.argv.slice(2);
  const wins = ids.map(async (id) => {
    const { publication, close } = await openPublication({ to, name, images, isPublisher: true }, {}, () => {});
    const won = await writeVersions(publication, id, Number(last));
    await close();
    return [id, won];
  });
  console.log(JSON.stringify(await Promise.all(wins)));
}
