import type { Problems } from '../../core/problems.ts';
import type { TableColumns } from './table-columns.ts';
import type { TableMapping } from './table-mapping.ts';

/**
 * Reports the tables and columns that the schema needs and the database lacks, as it does between a change of the
 * schema and the next start of Strapi. `location` is the place of the database in messages.
 */
export function checkTables(mapping: TableMapping, tables: TableColumns, location: string, problems: Problems): void {
  const check = (table: string, columns: readonly (string | null)[], needer: string) => {
    const found = tables.get(table);
    const hint = 'the schema does not fit the database; start Strapi, which migrates it';
    if (!found) return problems.add(location, `${needer} needs the table ${table}, which is missing: ${hint}`);
    for (const column of columns) {
      if (column === null || found.has(column)) continue;
      problems.add(location, `${needer} needs the column ${table}.${column}, which is missing: ${hint}`);
    }
  };
  for (const { uid, table, columns, components } of mapping.types.values()) {
    check(table, ['id'], uid);
    if (tables.has(table)) {
      for (const { attribute, column } of columns) check(table, [column], `${uid}, attribute ${attribute},`);
    }
    if (components) check(components.table, ['id', 'entity_id', 'cmp_id', 'component_type', 'field', 'order'], uid);
  }
  for (const link of mapping.links) {
    const { uid, attribute, table, source, targetId } = link;
    const others = link.kind === 'relation' ? [link.order, link.inverseOrder] : [link.targetType];
    const list = link.kind === 'polymorphic' && link.many ? ['field', 'order'] : [];
    check(table, ['id', source, targetId, ...others, ...list], `${uid}, attribute ${attribute},`);
  }
}
