import type { Row } from '../content/rows.ts';
import { defaultPageSize } from '../query.ts';
import { joined, readyStrings } from './floors.ts';
import type { Peer } from './peer.ts';

/** Keeps the ready text of each entry in maps by one attribute, as sites do by hand. It declines all other queries. */
export const readyMap: Peer = {
  name: 'map-ready',
  title: 'Map of ready strings',
  colour: '#c9a21c',
  open({ rows }) {
    const ready = readyStrings(rows);
    return (_query, sets) => {
      const [{ find }] = sets;
      const { type, where, sort = [], search } = find;
      const isById = sort.length === 0 || (sort[0].path.join() === 'id' && !sort[0].descending);
      const isByOneAttribute = !where || ('path' in where && where.operator === 'eq' && where.path.length === 1);
      if (!isById || !isByOneAttribute || search) return null;
      const text = ready(find);
      const attribute = where ? where.path[0] : null;
      const byValue = new Map<unknown, string[]>();
      for (const row of rows.type(type)) {
        const value = attribute && (row as Row)[attribute];
        const list = byValue.get(value);
        if (list) list.push(text(row));
        else byValue.set(value, [text(row)]);
      }
      return ({ find: { where: condition, page = 1, pageSize = defaultPageSize, ...rest } }) => {
        const value = condition && 'value' in condition ? condition.value : null;
        const entries = byValue.get(value) ?? [];
        const slice = entries.slice((page - 1) * pageSize, page * pageSize);
        return joined(slice, { ...rest, page, pageSize }, entries.length);
      };
    };
  },
};
