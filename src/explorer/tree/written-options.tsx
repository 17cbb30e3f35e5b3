import { RemoveButton } from '../controls/remove-button.tsx';
import { togglePopulated, withoutOption } from '../query/edit.ts';
import type { Populated, Selection } from '../query/explored-query.ts';
import { groupBy } from '../query/group-by.ts';
import { nameOf, printParameters } from '../query/parameters.ts';
import { useExplored } from '../state/explored.ts';

interface KeptOptionsProps {
  /** The path of the populated attribute. */
  readonly at: readonly string[];
  readonly kept: Populated['kept'];
  /** The selector of the element to which the focus goes when an option is removed. */
  readonly next: string;
}

/** The options of a populated attribute that have no control, such as its `filters` and `on`. */
export function KeptOptions({ at, kept, next }: KeptOptionsProps) {
  const { edit } = useExplored();
  const options = groupBy(
    kept.filter(({ path }) => path.length > 0),
    nameOf,
  );
  return (
    <>
      {Array.from(options, ([name, parameters]) => (
        <WrittenOption
          key={name}
          text={printParameters(parameters)}
          label={`Remove ${name} of ${at.join('.')}`}
          next={next}
          onRemove={() => edit((query) => withoutOption(query, at, name))}
        />
      ))}
    </>
  );
}

interface UnknownPopulatedProps {
  readonly at: readonly string[];
  readonly selection: Selection | null;
  /** The attributes that have rows of their own. */
  readonly known: readonly string[];
  readonly next: string;
}

/** The populated attributes that have no row in the tree, such as those of a single component of a dynamic zone. */
export function UnknownPopulated({ at, selection, known, next }: UnknownPopulatedProps) {
  const { edit } = useExplored();
  const unknown = selection?.populate.filter(({ attribute }) => !known.includes(attribute)) ?? [];
  return (
    <>
      {unknown.map(({ attribute }) => (
        <WrittenOption
          key={attribute}
          text={`populate ${attribute}`}
          label={`Do not populate ${[...at, attribute].join('.')}`}
          next={next}
          onRemove={() => edit((query) => togglePopulated(query, at, attribute, []))}
        />
      ))}
    </>
  );
}

interface WrittenOptionProps {
  readonly text: string;
  readonly label: string;
  readonly next: string;
  onRemove(): void;
}

function WrittenOption({ text, label, next, onRemove }: WrittenOptionProps) {
  return (
    <p class="written">
      <code>{text}</code>
      <RemoveButton label={label} next={next} onClick={onRemove} />
    </p>
  );
}
