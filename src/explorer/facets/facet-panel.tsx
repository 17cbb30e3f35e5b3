import { Isolated } from '../controls/isolated.tsx';
import { RemoveButton } from '../controls/remove-button.tsx';
import { chipOfFacet } from '../filters/new-filters.ts';
import type { FacetCounts, ValueCount } from '../filters/value-counts.ts';
import { facetPaths, stepsOf } from '../paths/attribute-paths.ts';
import { PathSelects } from '../paths/path-selects.tsx';
import { addFilter, removeFilter, withFacets } from '../query/edit.ts';
import type { FilterChip } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';

/** So many values of a facet are shown. A filter finds the others. */
const shownValues = 12;

/** The values of attributes with their counts. A click on a value filters by it. */
export function FacetPanel({ counts }: { readonly counts: Readonly<Record<string, FacetCounts>> }) {
  const { schema, type, query, edit } = useExplored();
  const { facets } = query;
  if (!type) return null;
  const setFacets = (next: readonly string[]) => edit((before) => withFacets(before, [...new Set(next)]));
  return (
    <section class="facets" aria-label="Facets">
      {facets.map((path, i) => {
        const steps = stepsOf(schema, type, path.split('.'));
        return (
          <div class="facet" key={i}>
            <div class="facet-head">
              {steps ? (
                <PathSelects
                  label="Counted attribute"
                  steps={steps}
                  allows={({ operators }) => operators.includes('$eq')}
                  onChange={(changed) => setFacets(facets.with(i, changed.join('.')))}
                />
              ) : (
                <code>{path}</code>
              )}
              <RemoveButton
                label={`Remove the facet ${path}`}
                next=".add-facet"
                onClick={() => setFacets(facets.toSpliced(i, 1))}
              />
            </div>
            {counts[path] && <FacetValues path={path} counts={counts[path]} />}
          </div>
        );
      })}
    </section>
  );
}

/** Adds the facet that is most worth counting. */
export function AddFacet() {
  const { schema, type, route, query, edit } = useExplored();
  if (!type || !schema.hasFacets || route?.kind !== 'page') return null;
  const next = facetPaths(schema, type).find((path) => !query.facets.includes(path));
  if (next === undefined) return null;
  return (
    <button
      type="button"
      class="add-facet"
      onClick={() => edit((before) => withFacets(before, [...before.facets, next]))}
    >
      + Facet
    </button>
  );
}

function FacetValues({ path, counts: { values, total } }: { readonly path: string; readonly counts: FacetCounts }) {
  const most = values[0]?.count ?? 1;
  return (
    <>
      <ul>
        {values.slice(0, shownValues).map((each) => (
          <FacetValue key={String(each.value)} path={path} counted={each} share={each.count / most} />
        ))}
      </ul>
      {total > shownValues && <p class="quiet">of {total.toLocaleString('en')} values</p>}
    </>
  );
}

interface FacetValueProps {
  readonly path: string;
  readonly counted: ValueCount;
  readonly share: number;
}

function FacetValue({ path, counted: { value, count }, share }: FacetValueProps) {
  const { query, edit } = useExplored();
  const chip = chipOfFacet(path, value);
  const position = query.filters.findIndex((item) => item.kind === 'chip' && isSame(item, chip));
  const toggle = () => edit((before) => (position < 0 ? addFilter(before, chip) : removeFilter(before, position)));
  return (
    <li>
      <button type="button" aria-pressed={position >= 0} onClick={toggle}>
        <span class="facet-bar" style={{ width: `${share * 100}%` }} />
        <span class="facet-value">{value === null ? <i>empty</i> : <Isolated text={String(value)} />}</span>
        <span class="count">{count.toLocaleString('en')}</span>
      </button>
    </li>
  );
}

function isSame(a: FilterChip, b: FilterChip): boolean {
  return a.operator === b.operator && a.value === b.value && a.path.join('.') === b.path.join('.');
}
