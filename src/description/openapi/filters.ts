/** The parameter `filters`: conditions that refer to themselves through relations. */
import type { ScalarType } from '../../model/schema/schema.ts';
import { type OperatorName, operators } from '../../query/operators.ts';
import type { AttributeDescription, TypeDescription } from '../describe-schema.ts';
import { type DocumentContext, pathsOf, scalarsOf } from './document-context.ts';
import { anyOf, closedObject, type JsonSchema, listOf, nothing } from './json-schema.ts';
import { type OperandKind, operandKindOf, operandSchema, sorted } from './values.ts';

/** Returns the schema of `filters`: conditions on the entries of a type, or a list of them, which all have to hold. */
export function filtersOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  const conditions = conditionsOn(context, type);
  return anyOf(conditions, listOf(conditions));
}

function conditionsOn(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'Filters', () => {
    const itself = conditionsOn(context, type);
    return closedObject(
      { ...attributeConditions(context, type), ...logic(itself) },
      { description: 'All conditions have to hold.' },
    );
  });
}

/** Returns the schema of conditions on related entries: an id, a list of ids, or conditions on an entry or its id. */
function relatedFiltersOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'RelatedFilters', () => {
    const itself = relatedFiltersOf(context, type);
    const id = operandOf(context, 'Number');
    const ofId = type.attributes.find(({ name }) => name === 'id')!;
    const conditions = context.components.ofType(type.uid, 'RelatedConditions', () =>
      closedObject(
        { ...attributeConditions(context, type), ...comparisons(context, 'Number', ofId.operators), ...logic(itself) },
        { description: 'Conditions that one related entry has to fulfil.' },
      ),
    );
    return anyOf(id, listOf(id), nothing, conditions, listOf(conditions));
  });
}

function attributeConditions(context: DocumentContext, type: TypeDescription): Record<string, JsonSchema> {
  const scalars = scalarsOf(type).map((attribute) => [attribute.name, scalarFilter(context, attribute)] as const);
  const links = pathsOf(type).map(
    ({ name, targets }) => [name, relatedFiltersOf(context, context.type(targets[0]))] as const,
  );
  return Object.fromEntries([...scalars, ...links]);
}

/** Attributes with operands of one kind and the same operators share a schema. */
function scalarFilter({ components, ...context }: DocumentContext, attribute: AttributeDescription): JsonSchema {
  const kind = operandKindOf(attribute.type as ScalarType);
  const names = attribute.operators;
  const shared = components.shared(
    `${kind}Filter`,
    () => valueFilter({ components, ...context }, kind, names),
    names.join(),
  );
  const { values } = attribute;
  return values === null ? shared : { ...shared, description: `One of ${sorted(values).join(', ')}.` };
}

/** A value stands for `$eq`, a list for `$in`. Kinds without these operators take null and operators only. */
function valueFilter(context: DocumentContext, kind: OperandKind, names: readonly OperatorName[]): JsonSchema {
  const { components } = context;
  const key = names.join();
  const itself = components.shared(`${kind}Filter`, () => ({}), key);
  const operand = () => operandOf(context, kind);
  const plain = [...(names.includes('$eq') ? [operand()] : []), ...(names.includes('$in') ? [listOf(operand())] : [])];
  const object = components.shared(
    `${kind}Operators`,
    () => closedObject({ ...comparisons(context, kind, names), ...logic(itself) }),
    key,
  );
  return anyOf(...plain, nothing, object);
}

/** Several values for an operator that takes one mean any of them. */
function comparisons(
  context: DocumentContext,
  kind: OperandKind,
  names: readonly OperatorName[],
): Record<string, JsonSchema> {
  const { components } = context;
  const severalOf = (each: OperandKind) => {
    const one = operandOf(context, each);
    return components.shared(`${each}Values`, () => anyOf(one, listOf(one)));
  };
  // Strapi takes the members of an object for a list
  const members = () => ({ type: 'object', additionalProperties: operandOf(context, kind) });
  const forms: Record<(typeof operators)[OperatorName]['operand'], () => JsonSchema> = {
    value: () => severalOf(kind),
    text: () => severalOf('Text'),
    boolean: () => severalOf('Boolean'),
    list: () => (context.schema.dialect === 'strapi' ? anyOf(severalOf(kind), members()) : severalOf(kind)),
    pair: () => listOf(operandOf(context, kind), { minItems: 2, maxItems: 2 }),
  };
  const formOf = (name: OperatorName) => {
    const { comparison, operand } = operators[name];
    const form = forms[operand]();
    return comparison === 'equal' || comparison === 'equalFolded' ? anyOf(form, nothing) : form;
  };
  return Object.fromEntries(names.map((name) => [name, formOf(name)]));
}

function operandOf({ components, schema }: DocumentContext, kind: OperandKind): JsonSchema {
  return components.shared(`${kind}Value`, () => operandSchema(kind, schema.dialect));
}

function logic(inner: JsonSchema): Record<string, JsonSchema> {
  const group = anyOf(inner, listOf(inner));
  return { $and: group, $or: group, $not: group };
}
