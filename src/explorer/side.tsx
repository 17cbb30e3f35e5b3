import { useEffect, useState } from 'preact/hooks';
import { useExplored } from './state/explored.ts';
import { AttributeTree } from './tree/attribute-tree.tsx';
import { TypeList } from './tree/type-list.tsx';

/** The content types, and the tree of the one that is explored. On narrow screens, both unfold. */
export function Side() {
  const isWide = useIsWide();
  const { type } = useExplored();
  return (
    <nav class="side" aria-label="Content">
      {isWide ? (
        <TypesAndTree />
      ) : (
        <details>
          <summary>{type ? `${type.displayName}: fields and relations` : 'Content types'}</summary>
          <TypesAndTree />
        </details>
      )}
    </nav>
  );
}

function TypesAndTree() {
  const { type, query, route } = useExplored();
  return (
    <>
      <TypeList />
      {type && <h2>{type.displayName}</h2>}
      {type?.description && <p class="quiet">{type.description}</p>}
      {type && route?.reads !== 'nothing' && (
        <AttributeTree key={type.uid} place={{ at: [], type }} selection={query.selection} />
      )}
    </>
  );
}

/** The width from which the style sheet puts both columns side by side. */
const wide = matchMedia('(min-width: 60rem)');

function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(wide.matches);
  useEffect(() => {
    const read = () => setIsWide(wide.matches);
    wide.addEventListener('change', read);
    return () => wide.removeEventListener('change', read);
  }, []);
  return isWide;
}
