import { nameOf, type Parameter, printParameters } from '../query/parameters.ts';
import { useExplored } from '../state/explored.ts';
import { TextChip } from './filter-chip.tsx';

/** Parameters without a control. Those of `filters` are one condition, so they are removed together. */
export function KeptParameters() {
  const { query, edit } = useExplored();
  const isFilter = (parameter: Parameter) => nameOf(parameter) === 'filters';
  const filters = query.kept.filter(isFilter);
  const others = query.kept.filter((parameter) => !isFilter(parameter));
  const groups = [...(filters.length > 0 ? [filters] : []), ...others.map((parameter) => [parameter])];
  return (
    <>
      {groups.map((group) => {
        const printed = group.map((parameter) => printParameters([parameter]));
        const isKept = (parameter: Parameter) => !printed.includes(printParameters([parameter]));
        const remove = () => edit((before) => ({ ...before, kept: before.kept.filter(isKept) }));
        return <TextChip key={printed.join('&')} text={printed.join('&')} onRemove={remove} />;
      })}
    </>
  );
}
