import { dialectFor } from '../../core/dialect.ts';
import type { Allocator } from '../../core/memory/allocator.ts';
import { Problems } from '../../core/problems.ts';
import { storeBuilderFor } from '../../load/build-store.ts';
import type { ImageFacts } from '../../load/image/describe-content.ts';
import { collectionOf, createStore, type Store } from '../../store/store.ts';
import { copyRows } from '../../store/writer/copy/copy-rows.ts';
import { isVersionOf, prepareDigests } from '../../store/writer/rows/row-digest.ts';
import { indexTexts, searchOf } from '../../store/writer/text/index-texts.ts';

/** What a store was built for. */
export type BuiltFor = Pick<ImageFacts, 'dialect' | 'database' | 'mysql' | 'strapiVersion' | 'mediaUrl'>;

/**
 * Returns a store with the live rows and the links of one with changes, and without changes. It answers alike, later
 * batches lead to the same, and it has the search indexes that were built. Throws an Error if it would have other content.
 */
export async function compactStore(store: Store, builtFor: BuiltFor, allocator: Allocator): Promise<Store> {
  const dialect = dialectFor(builtFor.dialect, builtFor.strapiVersion, builtFor.database, builtFor.mysql);
  const linksLocalizations = dialect.strapiMajorVersion === 4;
  if (linksLocalizations) checkPositions(store);
  await prepareDigests();
  const problems = new Problems('strict');
  const options = { mediaUrl: builtFor.mediaUrl ?? undefined, allocator };
  const builder = storeBuilderFor(store.schema, problems, dialect, options, {
    gathersJsonTexts: true,
    linksLocalizations,
  });
  copyRows(store, builder);
  problems.throwIfAny();
  const compacted = builder.finish(store.defaultLocale);
  const isIndexed = (uid: string, name: string) => {
    const { columns, comparedTexts } = collectionOf(store, uid);
    return [columns.get(name), comparedTexts.get(name)].some((column) => column && searchOf(column)?.trigrams);
  };
  indexTexts(compacted, isIndexed, allocator);
  const { contentDigest } = store;
  if (!isVersionOf(compacted, contentDigest)) {
    throw new Error(`the compacted store has the content ${compacted.contentDigest}, not ${contentDigest}`);
  }
  return createStore({ ...compacted, contentDigest }, compacted.segments);
}

/** Without positions, links of localizations look like those that follow from documents. */
function checkPositions({ collections }: Store): void {
  const wrong = collections.find(({ links }) => links.get('localizations')?.forward.positions === null);
  if (wrong) throw new Error(`the image has no positions of the localizations of ${wrong.type.uid}: build it again`);
}
