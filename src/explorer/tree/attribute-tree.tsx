import { useId, useState } from 'preact/hooks';
import type { AttributeDescription } from '../../description/describe-schema.ts';
import { Disclosure } from '../controls/icons.tsx';
import { type Populated, plainSelection, type Selection } from '../query/explored-query.ts';
import { printParameters } from '../query/parameters.ts';
import { useExplored } from '../state/explored.ts';
import { fieldNames, isAlwaysShown, isLink, targetOf, typeOf } from '../state/schema-index.ts';
import { AttributeButtons } from './attribute-buttons.tsx';
import {
  populates,
  setCountAt,
  setFieldsAt,
  showsField,
  type TreePlace,
  toggleFieldAt,
  togglePopulatedAt,
} from './edit-tree.ts';

interface AttributeTreeProps {
  readonly place: TreePlace;
  /** What the query shows of the place. Null: nothing, because it is not populated. */
  readonly selection: Selection | null;
}

/** The fields and relations of a place, each with a checkbox. */
export function AttributeTree({ place, selection }: AttributeTreeProps) {
  const { schema, type: root, edit, route } = useExplored();
  const { at, type } = place;
  const setFields = (fields: readonly string[] | null) => () =>
    edit((query) => setFieldsAt(query, schema, root!, place, fields));
  const hasFields = route?.reads === 'query' && fieldNames(type).length > 1;
  return (
    <>
      {hasFields && (
        <p class="tree-tools">
          <span class="quiet">Fields</span>
          <button type="button" class="text" aria-pressed={selection?.fields === null} onClick={setFields(null)}>
            all
          </button>
          <button
            type="button"
            class="text"
            aria-pressed={selection?.fields?.join() === 'id'}
            onClick={setFields(['id'])}
          >
            none
          </button>
        </p>
      )}
      <ul
        class="tree"
        aria-label={at.length === 0 ? `Attributes of ${type.displayName}` : `Attributes of ${at.at(-1)}`}
      >
        {type.attributes.map((attribute) => {
          const Row = isLink(attribute) ? LinkRow : FieldRow;
          return <Row key={attribute.name} attribute={attribute} place={place} selection={selection} />;
        })}
      </ul>
    </>
  );
}

interface RowProps extends AttributeTreeProps {
  readonly attribute: AttributeDescription;
}

function FieldRow({ attribute, place, selection }: RowProps) {
  const { schema, type: root, edit, route } = useExplored();
  const { name } = attribute;
  const isFixed = isAlwaysShown(name) || route?.reads !== 'query';
  return (
    <li>
      <div class="row">
        <label>
          <input
            type="checkbox"
            checked={selection !== null && (isFixed || showsField(selection, name))}
            disabled={isFixed}
            onChange={() => edit((query) => toggleFieldAt(query, schema, root!, place, name))}
          />
          <AttributeName attribute={attribute} />
        </label>
        <AttributeButtons attribute={attribute} place={place} />
      </div>
    </li>
  );
}

function LinkRow({ attribute, place, selection }: RowProps) {
  const { schema, type: root, edit } = useExplored();
  const id = useId();
  const { name } = attribute;
  const isPopulated = populates(selection, name);
  const populated = selection?.populate.find((each) => each.attribute === name);
  const isDetailed = populated !== undefined && isRefined(populated);
  const [isChosenOpen, setIsOpen] = useState<boolean | null>(null);
  const isOpen = isChosenOpen ?? isDetailed;
  const isCounted = populated?.count ?? false;
  const kept = populated?.kept.filter(({ path }) => path.length > 0) ?? [];
  const toggle = () => edit((query) => togglePopulatedAt(query, schema, root!, place, name));
  return (
    <li>
      <div class="row">
        <button
          type="button"
          class="icon disclosure"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={isOpen ? `Close ${name}` : `Open ${name}`}
          onClick={() => {
            setIsOpen(!isOpen);
            if (!isOpen && !isPopulated) toggle();
          }}
        >
          <Disclosure isOpen={isOpen} />
        </button>
        <label>
          <input
            type="checkbox"
            checked={isPopulated}
            onChange={() => {
              setIsOpen(!isPopulated);
              toggle();
            }}
          />
          <AttributeName attribute={attribute} />
        </label>
        <AttributeButtons attribute={attribute} place={place} />
      </div>
      <div id={id} class="branch" hidden={!isOpen}>
        {isOpen && isPopulated && attribute.isCounted && attribute.many && (
          <label class="row">
            <input
              type="checkbox"
              checked={isCounted}
              onChange={({ currentTarget: { checked } }) =>
                edit((query) => setCountAt(query, schema, root!, place, name, checked))
              }
            />
            <span class="quiet">only their number</span>
          </label>
        )}
        {isOpen && !isCounted && (
          <LinkTargets
            attribute={attribute}
            place={place}
            selection={isPopulated ? (populated?.selection ?? plainSelection) : null}
          />
        )}
        {isOpen && kept.length > 0 && (
          <p class="quiet">
            kept as written: <code>{printParameters(kept)}</code>
          </p>
        )}
      </div>
    </li>
  );
}

function isRefined({ selection, count, kept }: Populated): boolean {
  return (
    count || selection.fields !== null || selection.populatesAll || selection.populate.length > 0 || kept.length > 0
  );
}

/** What a link leads to: a tree, or the names of the types if there are several. */
function LinkTargets({ attribute, place, selection }: RowProps) {
  const { schema } = useExplored();
  const target = targetOf(schema, attribute);
  if (target)
    return <AttributeTree place={{ at: [...place.at, attribute.name], type: target }} selection={selection} />;
  const names = attribute.targets.map((uid) => typeOf(schema, uid)?.displayName ?? uid);
  return <p class="quiet">{names.length > 0 ? `One of: ${names.join(', ')}.` : 'Entries of any type.'}</p>;
}

function AttributeName({ attribute }: { readonly attribute: AttributeDescription }) {
  const { schema } = useExplored();
  const { name, type, required, localized, many, targets } = attribute;
  const target = targetOf(schema, attribute);
  const kind = target ? `${many ? 'many ' : ''}${target.displayName}` : targets.length > 1 ? 'mixed' : type;
  return (
    <span class="attribute">
      <span class="attribute-name">{name}</span>{' '}
      <span class="attribute-type">
        {isLink(attribute) && '→ '}
        {kind}
        {required && <span title="Every published entry has a value"> · required</span>}
        {localized && <span title="Each locale has a value of its own"> · localized</span>}
      </span>
    </span>
  );
}
