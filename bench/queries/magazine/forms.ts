import { query } from '../../query.ts';
import { kinds } from './drawing.ts';

const choice = ['title', 'slug', 'lead', 'kind', 'premium', 'rating', 'publishedOn', 'reading', 'views', 'figures'];
const sortable = ['rating', 'publishedOn', 'reading', 'title', 'updatedAt', 'createdAt', 'slug', 'lead'];

/** What a query costs whose form no cache and no prepared statement knows. */
export const forms = query({
  name: 'forms',
  content: 'magazine',
  label: 'a new form each time',
  title: 'kind; each time other fields and another order than ever before',
  outsideMeans: true,
  // Lectern keeps 16 MiB of forms, which is some 5,000 of the smallest
  newForms: 8000,
  draw: (random, rows) => {
    const fields = choice.filter(() => random.next() < 0.5);
    return {
      kind: random.pick(kinds(rows)),
      fields: fields.length > 0 ? fields : ['title'],
      sort: [random.pick(sortable), random.pick(sortable), random.pick(sortable)],
      descending: random.next() < 0.5,
    };
  },
  find: ({ kind, fields, sort, descending }) => ({
    type: 'article',
    where: { path: ['kind'], operator: 'eq', value: kind },
    fields,
    sort: [...new Set(sort)].map((name, index) => ({ path: [name], descending: descending === (index === 0) })),
  }),
});
