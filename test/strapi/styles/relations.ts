import { type Style, to } from './style.ts';

const text = { type: 'string' };

/** Relations whose other side leads nowhere, elsewhere or with another cardinality; a type on the path of the users. */
export const relations: Style = {
  name: 'relations',
  model: {
    types: {
      writer: {
        attributes: {
          name: text,
          articles: to('oneToMany', 'article', { mappedBy: 'author' }),
          notes: to('oneToMany', 'note', { mappedBy: 'writer' }),
          single: to('oneToOne', 'article', { mappedBy: 'nothing' }),
          wrong: to('oneToMany', 'note', { mappedBy: 'other' }),
          text: to('oneToMany', 'note', { mappedBy: 'title' }),
          books: to('oneToMany', 'book', { mappedBy: 'owner' }),
        },
      },
      article: { attributes: { title: text } },
      note: { attributes: { title: text, writer: to('manyToOne', 'writer'), other: to('manyToOne', 'article') } },
      book: { attributes: { title: text, owner: to('oneToOne', 'writer', { inversedBy: 'books' }) } },
      user: { attributes: { title: text } },
    },
  },
  seed: `
    const ada = await d('writer').create({ data: { name: 'Ada' } });
    await d('writer').create({ data: { name: 'Bob' } });
    const article = await d('article').create({ data: { title: 'A' } });
    await d('note').create({ data: { title: 'N1', writer: ada.documentId, other: article.documentId } });
    await d('note').create({ data: { title: 'N2', writer: ada.documentId } });
    for (const title of ['B1', 'B2']) await d('book').create({ data: { title, owner: ada.documentId } });
    await d('user').create({ data: { title: 'user' } });`,
};
