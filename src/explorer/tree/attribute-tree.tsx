import { useId, useState } from 'preact/hooks';
import type { AttributeDescription } from '../../description/describe-schema.ts';
import { Disclosure } from '../controls/icons.tsx';
import { togglePopulated, withFields, withPopulatesAll } from '../query/edit.ts';
import { type Populated, plainSelection, type Selection } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { fieldNames, isAlwaysShown, isLink, linkNames, targetOf, typeOf } from '../state/schema-index.ts';
import { AttributeButtons } from './attribute-buttons.tsx';
import { populates, setCountAt, showsField, type TreePlace, toggleFieldAt } from './edit-tree.ts';
import { useEditAt } from './use-edit-at.ts';
import { KeptOptions, UnknownPopulated } from './written-options.tsx';

interface AttributeTreeProps {
  readonly place: TreePlace;
  /** What the query shows of the place. Null: nothing, because it is not populated. */
  readonly selection: Selection | null;
}

/** The fields and relations of a place, each with a checkbox. */
export function AttributeTree({ place, selection }: AttributeTreeProps) {
  const { route } = useExplored();
  const { at, type } = place;
  const edit = useEditAt(at);
  const setFields = (fields: readonly string[] | null) => () => edit((query) => withFields(query, at, fields));
  const canChoose = route?.reads === 'query';
  const hasFields = canChoose && fieldNames(type).length > 1;
  const links = linkNames(type);
  const populatesAll = selection?.populatesAll ?? false;
  const id = useId();
  return (
    <>
      {(hasFields || (canChoose && links.length > 1)) && (
        <p class="tree-tools">
          {hasFields && (
            <>
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
            </>
          )}
          {links.length > 1 && (
            <button
              type="button"
              class="text star"
              title={populatesAll ? 'Populate nothing' : 'Populate everything, one level deep'}
              aria-pressed={populatesAll}
              onClick={() => edit((query) => withPopulatesAll(query, at, !populatesAll))}
            >
              populate=*
            </button>
          )}
        </p>
      )}
      <ul
        id={id}
        tabIndex={-1}
        class="tree"
        aria-label={at.length === 0 ? `Attributes of ${type.displayName}` : `Attributes of ${at.at(-1)}`}
      >
        {type.attributes.map((attribute) => {
          const Row = isLink(attribute) ? LinkRow : FieldRow;
          return <Row key={attribute.name} attribute={attribute} place={place} selection={selection} />;
        })}
      </ul>
      <UnknownPopulated at={at} selection={selection} known={links} next={`#${id}`} />
    </>
  );
}

interface RowProps extends AttributeTreeProps {
  readonly attribute: AttributeDescription;
}

function FieldRow({ attribute, place, selection }: RowProps) {
  const { route } = useExplored();
  const edit = useEditAt(place.at);
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
            onChange={() => edit((query) => toggleFieldAt(query, place, name))}
          />
          <AttributeName attribute={attribute} />
        </label>
        <AttributeButtons attribute={attribute} place={place} />
      </div>
    </li>
  );
}

function LinkRow({ attribute, place, selection }: RowProps) {
  const { at, type } = place;
  const edit = useEditAt(at);
  const id = useId();
  const { name } = attribute;
  const isPopulated = populates(selection, name);
  const populated = selection?.populate.find((each) => each.attribute === name);
  const isDetailed = populated !== undefined && isRefined(populated);
  const [isChosenOpen, setIsOpen] = useState<boolean | null>(null);
  const isOpen = isChosenOpen ?? isDetailed;
  const isCounted = populated?.count ?? false;
  const toggle = () => edit((query) => togglePopulated(query, at, name, linkNames(type)));
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
            id={`${id}-box`}
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
              onChange={({ currentTarget: { checked } }) => edit((query) => setCountAt(query, place, name, checked))}
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
        {isOpen && populated && <KeptOptions at={[...at, name]} kept={populated.kept} next={`#${id}-box`} />}
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
  const { schema, route } = useExplored();
  const id = useId();
  const target = targetOf(schema, attribute);
  const at = [...place.at, attribute.name];
  const edit = useEditAt(at);
  if (target) return <AttributeTree place={{ at, type: target }} selection={selection} />;
  const names = attribute.targets.map((uid) => typeOf(schema, uid)?.displayName ?? uid);
  return (
    <>
      <p class="quiet">{names.length > 0 ? `One of: ${names.join(', ')}.` : 'Entries of any type.'}</p>
      {route?.reads === 'query' && (
        <label class="row">
          <input
            id={id}
            type="checkbox"
            checked={selection?.populatesAll ?? false}
            onChange={({ currentTarget: { checked } }) => edit((query) => withPopulatesAll(query, at, checked))}
          />
          <span class="quiet">with all that they lead to</span>
        </label>
      )}
      <UnknownPopulated at={at} selection={selection} known={[]} next={`#${id}`} />
    </>
  );
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
