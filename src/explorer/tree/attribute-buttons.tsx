import type { AttributeDescription } from '../../description/describe-schema.ts';
import { CountIcon, FilterIcon } from '../controls/icons.tsx';
import { completePath } from '../paths/attribute-paths.ts';
import { withFacets } from '../query/edit.ts';
import { useExplored } from '../state/explored.ts';
import type { TreePlace } from './edit-tree.ts';

interface AttributeButtonsProps {
  readonly attribute: AttributeDescription;
  readonly place: TreePlace;
}

/** The buttons that filter by an attribute and count its values. */
export function AttributeButtons({ attribute, place }: AttributeButtonsProps) {
  const { schema, type, isList, route, query, edit, beginFilter } = useExplored();
  const path = type && isList ? completePath(schema, type, [...place.at, attribute.name]) : null;
  if (!path) return null;
  const facet = path.join('.');
  const { facets } = query;
  const isCounted = facets.includes(facet);
  const canCount =
    schema.hasFacets && route?.kind === 'page' && /^(?:enumeration|boolean|relation)$/.test(attribute.type);
  return (
    <>
      {canCount && (
        <button
          type="button"
          class="icon"
          aria-label={`Count the values of ${facet}`}
          title={`Count the values of ${facet}`}
          aria-pressed={isCounted}
          onClick={() =>
            edit((before) =>
              withFacets(before, isCounted ? facets.filter((each) => each !== facet) : [...facets, facet]),
            )
          }
        >
          <CountIcon />
        </button>
      )}
      <button
        type="button"
        class="icon"
        aria-label={`Filter by ${facet}`}
        title={`Filter by ${facet}`}
        onClick={() => beginFilter(path)}
      >
        <FilterIcon />
      </button>
    </>
  );
}
