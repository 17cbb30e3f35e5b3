import type { ComponentChildren } from 'preact';
import type { EntryDifference, SnapshotDifferences, ValueChange } from '../../changes/diff/differences.ts';
import { Isolated } from '../../explorer/controls/isolated.tsx';
import { type ChangedDocument, changeTexts, otherDifferences, variantOf } from '../state/differences.ts';

interface DifferenceListProps {
  readonly differences: SnapshotDifferences;
  readonly documents: readonly ChangedDocument[];
  /** Keys of the documents that can be applied alone. */
  readonly choosable: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  onChoose(key: string): void;
}

/** What a preview shows otherwise than its base, by document. */
export function DifferenceList({ differences, documents, choosable, chosen, onChoose }: DifferenceListProps) {
  const others = otherDifferences(differences);
  if (differences.isEqual) return <p class="nothing">The preview shows what its base shows.</p>;
  return (
    <ul class="documents">
      {documents.map(({ key, type, documentId, entries }) => (
        <li key={key}>
          <DocumentName
            choice={choosable.has(key) ? { isChosen: chosen.has(key), onChoose: () => onChoose(key) } : null}
          >
            <Isolated text={documentId ?? `id ${entries[0].id}`} /> <span class="quiet">{shortType(type)}</span>
          </DocumentName>
          {entries.map((entry) => (
            <Entry key={variantOf(entry)} entry={entry} />
          ))}
        </li>
      ))}
      {others.map((line) => (
        <li key={line}>
          <Isolated text={line} />
        </li>
      ))}
    </ul>
  );
}

interface DocumentNameProps {
  /** Null for a document that cannot be chosen. */
  readonly choice: { readonly isChosen: boolean; onChoose(): void } | null;
  readonly children: ComponentChildren;
}

function DocumentName({ choice, children }: DocumentNameProps) {
  if (!choice) return <p>{children}</p>;
  return (
    <label>
      <input type="checkbox" checked={choice.isChosen} onChange={choice.onChoose} />
      {children}
    </label>
  );
}

function Entry({ entry }: { readonly entry: EntryDifference }) {
  const { kind, changes } = entry;
  return (
    <div class="entry">
      <span class={`mark is-${kind}`}>{kind === 'minor' ? 'minor difference' : kind}</span>{' '}
      <span class="quiet">{variantOf(entry)}</span>
      {changes.length > 0 && (
        <ul>
          {changes.map((change) => (
            <li key={change.path}>
              <Change change={change} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Change({ change }: { readonly change: ValueChange }) {
  const texts = changeTexts(change);
  return (
    <>
      <code>
        <Isolated text={change.path} />
      </code>{' '}
      {texts ? (
        <>
          <del>
            <Isolated text={texts.before} />
          </del>{' '}
          <span class="quiet">→</span>{' '}
          <ins>
            <Isolated text={texts.after} />
          </ins>
        </>
      ) : (
        <span class="quiet">is private</span>
      )}
    </>
  );
}

/** `article` for `api::article.article`. */
export function shortType(type: string): string {
  return /^api::([^.]+)\.\1$/.exec(type)?.[1] ?? type;
}
