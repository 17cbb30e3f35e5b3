import { useExplored } from '../state/explored.ts';
import { listedTypes } from '../state/schema-index.ts';

/** The content types that the caller may read. */
export function TypeList() {
  const { schema, type, open } = useExplored();
  return (
    <ul class="types" aria-label="Content types">
      {listedTypes(schema).map(({ uid, displayName, route, kind }) => (
        <li key={uid}>
          <button
            type="button"
            aria-current={uid === type?.uid ? 'true' : undefined}
            title={`${displayName}${kind === 'singleType' ? ', a single type' : ''}`}
            onClick={() => open(route!)}
          >
            {displayName}
          </button>
        </li>
      ))}
    </ul>
  );
}
