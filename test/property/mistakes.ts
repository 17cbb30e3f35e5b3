import { accessOf, mayFind } from '../naive/access.ts';
import type { Request } from '../naive/snapshot.ts';
import { isHidden, isPolymorphic, isScalar, type Type } from '../naive/types.ts';
import type { QueryContext } from './query-context.ts';

/** Puts one invalid or forbidden part into a query of a collection. */
export function addMistake(context: QueryContext, type: Type, { query, role }: Request): void {
  const { random, dialect } = context;
  const names = (test: (name: string) => boolean) => Object.keys(type.attributes).filter(test);
  const hidden = [...names((name) => isHidden(type.attributes[name]!)), 'nope'];
  const scalar = names((name) => isScalar(type.attributes[name]!) && !isHidden(type.attributes[name]!));
  const related = names((name) => !isScalar(type.attributes[name]!));
  const closed = names((name) => {
    const attribute = type.attributes[name]!;
    if (attribute.type === 'media') return dialect === 'document';
    return attribute.type === 'dynamiczone' || isPolymorphic(attribute);
  });
  const access = accessOf(context.world, role);
  // the checks below an unreadable relation are not specified
  const visitable = context.visitableNames(type).filter((name) => {
    const attribute = type.attributes[name]!;
    return attribute.type === 'relation' && mayFind(access, context.targetOf(attribute));
  });
  const filters: unknown[] = [
    { [random.pick(hidden)]: 'a' },
    { id: { $foo: 1 } },
    { id: { $between: [1] } },
    { id: { $gt: 'many' } },
    { createdAt: { $lt: 'soon' } },
    { createdAt: ['2020-01-01T00:00:00.000Z', 'soon'] },
    { $foo: [{ id: 1 }] },
    { $eq: 1 },
    { $or: 'a' },
    { $not: [{ [random.pick(hidden)]: { $null: true } }] },

    'text',
  ];
  for (const name of closed) filters.push({ [name]: { name: 'a' } });
  for (const name of visitable) filters.push({ [name]: { nope: 1 } }, { [name]: 'abc' }, { [name]: { $foo: 1 } });
  for (const name of scalar)
    if (
      badOperand[type.attributes[name]!.type] &&
      (dialect === 'document' || type.attributes[name]!.type !== 'boolean')
    )
      filters.push({ [name]: { $gte: badOperand[type.attributes[name]!.type] } });
  const populates: unknown[] = ['nope', ['nope'], { nope: true }, 'true', ...scalar.slice(0, 1), random.pick(hidden)];
  for (const name of visitable) {
    populates.push(
      { [name]: { limit: 1 } },
      { [name]: { pagination: { pageSize: 1 } } },
      { [name]: '*' },
      { [name]: '' },
    );
  }
  const sorts: unknown[] = ['nope', 'id:up', random.pick(hidden), [{ id: 'asc' }, 'id:desc'], { nope: 'asc' }];
  const fields: unknown[] = ['nope', ['id', random.pick(hidden)], { a: 'id' }, ...related.slice(0, 1)];
  const paginations: unknown[] = [{ page: 1, start: 0 }, { pageSize: 2, limit: 2 }, { page: 'a' }, { limit: 'b' }];
  if (dialect === 'document') {
    // the other dialect has its own messages for these
    filters.push({ id: { $notNull: '' } }, { id: { $null: 'yes' } });
    sorts.push('id:asc:desc', ':asc');
    paginations.push({ page: '1.5' }, { page: '0x2' }, { pageSize: '1e1' }, { start: '' }, { withCount: 'no' });
    fields.push('*,nope');
  }
  const { features } = context.world;
  if (features.has('countSort')) {
    sorts.push('$count', 'id.$count', { $count: 'asc' });
    for (const name of visitable) sorts.push(`${name}.$count:up`, `${name}.$count.id`, { [name]: { $count: 'up' } });
    for (const name of closed) sorts.push(`${name}.$count`);
    if (type.localized) sorts.push('localizations.$count');
  }
  if (features.has('randomSort')) {
    sorts.push('$random', '$random:', '$random:a:desc', '$random:a b', 'id,$random:a', ['$random:a', 'id']);
    sorts.push({ $random: 'asc' }, `$random:${'a'.repeat(65)}`);
  }
  if (features.has('deepPopulate')) populates.push('deep,0', 'deep,11', 'deep,x', 'deep,', 'deep,2,id', { deep: true });
  if (features.has('deepPopulate')) for (const name of visitable) populates.push({ [name]: { populate: 'deep' } });
  const zones = names((name) => type.attributes[name]!.type === 'dynamiczone');
  if (features.has('zoneFilters')) for (const zone of zones) filters.push(...zoneMistakes(zone, type));
  switch (random.integer(1, 6)) {
    case 1:
    case 2:
      query.filters = random.pick(filters);
      break;
    case 3:
      query.populate = random.pick(populates);
      break;
    case 4:
      query.sort = random.pick(sorts);
      break;
    case 5:
      query.fields = random.pick(fields);
      break;
    default:
      if (random.chance(55)) query.pagination = random.pick(paginations);
      else if (dialect === 'document' && random.chance(50)) Object.assign(query, random.pick(unknownValues));
      else query.unknown = 'a';
  }
}

/** Filters of a dynamic zone that name no component of it, or not its attributes. */
function zoneMistakes(zone: string, { attributes }: Type): object[] {
  const [uid] = attributes[zone]!.components!;
  return [
    { [zone]: { on: { 'no.such': { id: 1 } } } },
    { [zone]: { on: { [uid!]: { nope: 1 } } } },
    { [zone]: { on: { [uid!]: 'a' } } },
    { [zone]: { on: 'a' } },
    { [zone]: { [uid!]: { id: 1 } } },
  ];
}

const unknownValues = [{ status: 'drafts' }, { locale: 'zz' }];

const badOperand: Record<string, string> = {
  integer: '12x',
  biginteger: 'x12',
  float: '1.2.3',
  decimal: 'ten',
  date: 'abc',
  time: '12:00',
  datetime: 'yesterday',
  boolean: 'no',
};
