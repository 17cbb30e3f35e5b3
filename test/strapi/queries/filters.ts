import type { AttributeDefinition } from '../model/definitions.ts';
import { isPolymorphic, isScalar, type Type } from './content.ts';
import { openAttributes, openScalars, type Query, type QueryContext } from './query-context.ts';

const comparisons = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'];
const textTests = ['$contains', '$notContains', '$containsi', '$notContainsi', '$eqi', '$nei'].concat([
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
]);
/** Instants in the forms that Strapi takes; a time without a zone is in UTC, the zone of the server. */
const instants = [
  '2001-09-09',
  '2003',
  '200105',
  '2001-09-09 10:30',
  '1999-12-31T23:59:59.000Z',
  '2000-01-01T00:00:00+02:00',
  '1000000000000',
  '20010203',
  '2001-W05',
  '2001-034T10',
  '20',
];
const textTypes = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);

/** A filter on a type, nested `depth` deep at most. */
export function randomFilter(context: QueryContext, type: Type, depth: number): Query {
  const { random } = context;
  if (depth > 0 && random.chance(25)) return randomLogic(context, type, depth - 1);
  const filter: Query = {};
  const { localizations } = type.attributes;
  if (localizations && !localizations.private && random.chance(4)) {
    filter.localizations = randomRelated(context, localizations, 0);
  }
  const isLocalized = type.pluginOptions?.i18n?.localized === true;
  if (isLocalized && random.chance(3)) filter.locale = random.pick(['en', 'fr', { $ne: 'en' }, { $notNull: true }]);
  const json = type.attributes.measures;
  if (json && random.chance(4)) filter.measures = randomJsonCondition(context);
  for (let count = random.chance(75) ? 1 : 2; count > 0; count--) {
    const [name, attribute] = random.pick(
      openAttributes(type).filter(([, { type: kind }]) => kind !== 'blocks' && kind !== 'json'),
    );
    if (isScalar(attribute)) filter[name] = randomCondition(context, type, name, attribute);
    else if (!isPolymorphic(attribute)) filter[name] = randomRelated(context, attribute, depth);
  }
  return filter;
}

function randomJsonCondition({ random }: QueryContext): Query {
  const operator = random.pick([
    '$containsi',
    '$notContainsi',
    '$startsWithi',
    '$endsWithi',
    '$eqi',
    '$nei',
    '$eq',
    '$ne',
  ]);
  const texts = [
    'cm',
    '"unit": "cm"',
    '{',
    '}',
    '[]',
    '[1',
    '"c": null',
    '7',
    '"text"',
    'false',
    '{"width":3.5,"unit":"cm"}',
  ];
  return { [operator]: random.pick(texts) };
}

function randomLogic(context: QueryContext, type: Type, depth: number): Query {
  const { random } = context;
  const operator = random.pick(['$and', '$or', '$or', '$not']);
  const parts = random.many(1, 3, () => randomFilter(context, type, depth));
  if (operator === '$not' && random.chance(80)) return { $not: parts[0] };
  const logic = { [operator]: parts };
  return random.chance(20) ? { ...logic, ...randomFilter(context, type, 0) } : logic;
}

/** A condition on what a relation, media or component leads to. */
function randomRelated(context: QueryContext, attribute: AttributeDefinition, depth: number): unknown {
  const { random, content } = context;
  const target = content.target(attribute);
  const id = () => random.pick([...content.values(target.uid, 'id'), 1, 3]);
  switch (random.integer(1, 20)) {
    case 1:
      return { $null: random.chance(50) };
    case 2:
      return { $notNull: random.pick([true, 'false', '1']) };
    case 3:
      return id();
    case 4:
      return { id: { [random.pick(['$in', '$notIn'])]: [id(), id(), id()] } };
    case 5:
      return { [random.pick(['$eq', '$ne', '$in', '$gt'])]: id() };
    case 6:
      return { $not: randomFilter(context, target, 0) };
    case 7:
      return [id(), id()];
    case 8: {
      const [name, scalar] = random.pick(openScalars(target));
      return {
        [name]: { $null: random.chance(60) },
        ...(random.chance(30) && { id: { $null: true } }),
        ...(scalar && {}),
      };
    }
    default:
      return randomFilter(context, target, depth - 1 > 0 && random.chance(60) ? depth - 1 : 0);
  }
}

/** What stands below a scalar attribute's name. */
function randomCondition(context: QueryContext, type: Type, name: string, attribute: AttributeDefinition): unknown {
  const { random } = context;
  const operand = () => randomOperand(context, type, name, attribute);
  const operators = textTypes.has(attribute.type) ? [...comparisons, ...textTests, ...textTests] : comparisons;
  const comparison = (): Query => ({ [random.pick(operators)]: operand() });
  switch (random.integer(1, 26)) {
    case 1:
      return operand();
    case 2:
      return [operand(), operand()];
    case 3:
    case 4:
      return { [random.pick(['$null', '$notNull'])]: random.pick([true, false, 'true', 'false', '1', '0']) };
    case 5:
    case 6:
      return { [random.pick(['$in', '$notIn'])]: random.many(1, 4, operand) };
    case 7:
      return { [random.pick(['$in', '$notIn'])]: operand() };
    case 8:
    case 9:
      return { $between: [operand(), operand()] };
    case 10:
    case 11:
      return { $not: comparison() };
    case 12:
      return { ...comparison(), ...comparison() };
    case 13:
      return { [random.pick(['$and', '$or'])]: [comparison(), comparison()] };
    case 14:
      return { [random.pick(operators)]: [operand(), operand()] };
    case 15:
      return { $not: { $in: [operand(), operand()] } };
    case 16:
      return { [random.pick(textTests)]: operand() };
    default:
      return comparison();
  }
}

/** Mostly a value that occurs, or a part of one; sometimes another of the same form. */
function randomOperand(context: QueryContext, { uid }: Type, name: string, attribute: AttributeDefinition): unknown {
  const { random, content } = context;
  const known = content.values(uid, name);
  if (known.length === 0 || random.chance(8)) return randomOther(context, attribute);
  const value = random.pick(known);
  if (typeof value !== 'string') return value;
  if (textTypes.has(attribute.type)) {
    if (random.chance(30) && value.length > 1) {
      const start = random.integer(0, value.length - 1);
      const part = value.slice(start, start + random.integer(1, 3));
      return part.isWellFormed() ? part : value;
    }
    return random.chance(15) ? random.pick([value.toUpperCase(), value.toLowerCase()]) : value;
  }
  return attribute.type === 'datetime' && random.chance(15) ? value.slice(0, 10) : value;
}

function randomOther({ random }: QueryContext, { type, enum: allowed }: AttributeDefinition): unknown {
  switch (type) {
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return random.pick([0, 1, 7, -5, 100, 2.5, '1e2', '-0']);
    case 'boolean':
      return random.pick([true, false, '1', '0', 't', 'f']);
    case 'date':
      return random.pick(['2001-09-09', '1970-01-01', '1999-12-31T23:59:59.000Z']);
    case 'time':
      return random.pick(['12:00:00.000', '08:15:00', '23:59:59.999']);
    case 'datetime':
      return random.pick(instants);
    case 'timestamp':
      return random.pick(['1000000000000', '0']);
    case 'enumeration':
      return random.pick([...(allowed as string[]), 'none']);
    default:
      return random.pick(['a', 'E', '%', '_', '\\', 'ö', 'ss', ' ', '', '1', 'zz']);
  }
}
