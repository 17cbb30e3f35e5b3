import type { AttributeDescription, TypeDescription } from '../../description/describe-schema.ts';
import { useExplored } from '../state/explored.ts';
import { isLink, typeOf } from '../state/schema-index.ts';
import { choicesOf, completePath, type PathStep } from './attribute-paths.ts';

interface PathSelectsProps {
  readonly label: string;
  readonly steps: readonly PathStep[];
  /** Limits the attributes that a path can end at. */
  readonly allows?: (attribute: AttributeDescription) => boolean;
  onChange(path: readonly string[]): void;
}

/** A select for each name of a path. Choosing a relation adds the next one. */
export function PathSelects({ label, steps, allows = () => true, onChange }: PathSelectsProps) {
  const { schema } = useExplored();
  const choose = (position: number, name: string) => {
    const before = steps.slice(0, position).map(({ attribute }) => attribute.name);
    const path = completePath(schema, steps[0].type, [...before, name]);
    if (path) onChange(path);
  };
  return (
    <>
      {steps.map(({ type, attribute }, i) => (
        <select
          key={steps
            .slice(0, i)
            .map((step) => step.attribute.name)
            .join('.')}
          aria-label={i === 0 ? label : `${label}, of ${steps[i - 1].attribute.name}`}
          value={attribute.name}
          onChange={(event) => choose(i, event.currentTarget.value)}
        >
          <PathOptions type={type} allows={allows} />
        </select>
      ))}
    </>
  );
}

function PathOptions({
  type,
  allows,
}: {
  type: TypeDescription;
  allows: (attribute: AttributeDescription) => boolean;
}) {
  const { schema } = useExplored();
  const choices = choicesOf(type);
  const links = choices.filter((each) => isLink(each) && typeOf(schema, each.targets[0]));
  return (
    <>
      {choices
        .filter((each) => !isLink(each) && allows(each))
        .map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      {links.length > 0 && (
        <optgroup label="through">
          {links.map(({ name }) => (
            <option key={name} value={name}>
              {name} ›
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
}
