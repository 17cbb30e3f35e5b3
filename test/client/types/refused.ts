import { createClient } from 'lectern/client';
import type { Schema } from './demo.ts';

/** Queries that must not compile, by cause, and uses of replies that must not. They are never run. */

declare const never: false;
const client = createClient<Schema>({ url: 'http://127.0.0.1:1337/api' });

export async function refused(): Promise<void> {
  if (!never) return;

  // operators of texts on numbers, days, times and booleans
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { views: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { correctedAt: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('issues', { filters: { printedAt: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('places', { filters: { lastOrders: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { amount: { $endsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $eqi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $nei: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $notContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $containsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $notContainsi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $startsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $endsWith: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $endsWithi: 'x' } } });

  // operators of order on booleans
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $lt: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $lte: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $gt: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $gte: true } } });
  // @ts-expect-error
  client.find('invoices', { filters: { paid: { $lt: true } } });
  // @ts-expect-error
  client.find('invoices', { filters: { paid: { $lte: true } } });
  // @ts-expect-error
  client.find('invoices', { filters: { paid: { $gt: true } } });
  // @ts-expect-error
  client.find('invoices', { filters: { paid: { $gte: true } } });

  // all but presence on JSON, lists and blocks
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $eq: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $ne: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $in: ['x'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $gt: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $between: ['a', 'b'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $eq: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $ne: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $in: ['x'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $gt: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { keywords: { $between: ['a', 'b'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $eq: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $ne: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $in: ['x'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $contains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $gt: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $startsWithi: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { body: { $between: ['a', 'b'] } } });

  // groups of operators, on which Strapi fails
  // @ts-expect-error
  client.find('articles', { filters: { title: { $or: [{ $eq: 'a' }, { $eq: 'b' }] } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $and: [{ $contains: 'a' }, { $contains: 'b' }] } } });

  // operators that do not exist
  // @ts-expect-error
  client.find('articles', { filters: { title: { $contain: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $like: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $is: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $notEqual: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { eq: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $regex: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $iContains: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $notBetween: 'x' } } });

  // operands of another type
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $eq: '5' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $ne: '5' } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $eq: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { rating: { $ne: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $eq: 'true' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $ne: 'true' } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $eq: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: { $ne: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $eq: 5 } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $ne: 5 } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $eq: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $ne: true } } });
  // @ts-expect-error
  client.find('articles', { filters: { kind: { $eq: 'novel' } } });
  // @ts-expect-error
  client.find('articles', { filters: { kind: { $ne: 'novel' } } });
  // @ts-expect-error
  client.find('places', { filters: { kind: { $eq: 'essay' } } });
  // @ts-expect-error
  client.find('places', { filters: { kind: { $ne: 'essay' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { currency: { $eq: 'USD' } } });
  // @ts-expect-error
  client.find('invoices', { filters: { currency: { $ne: 'USD' } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $eq: 20260101 } } });
  // @ts-expect-error
  client.find('articles', { filters: { publishedOn: { $ne: 20260101 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: '5' } });
  // @ts-expect-error
  client.find('articles', { filters: { premium: 'yes' } });
  // @ts-expect-error
  client.find('articles', { filters: { title: 5 } });
  // @ts-expect-error
  client.find('articles', { filters: { kind: 'novel' } });
  // @ts-expect-error
  client.find('articles', { filters: { kind: ['essay', 'novel'] } });
  // @ts-expect-error
  client.find('articles', { filters: { title: ['a', 5] } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $null: 'true' } } });
  // @ts-expect-error
  client.find('articles', { filters: { title: { $null: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $null: 'true' } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $null: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $null: 'true' } } });
  // @ts-expect-error
  client.find('articles', { filters: { figures: { $null: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $between: 5 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $between: [1] } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $between: [1, 2, 3] } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $between: ['1', '2'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $in: 5 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $in: ['5'] } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $notIn: 5 } } });
  // @ts-expect-error
  client.find('articles', { filters: { reading: { $gt: [1] } } });

  // attributes that do not exist in filters
  // @ts-expect-error
  client.find('articles', { filters: { titel: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { title: 'x', titel: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { nme: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { team: { nme: 'x' } } } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { team: { lead: { nme: 'x' } } } } });
  // @ts-expect-error
  client.find('articles', { filters: { $and: [{ titel: 'x' }] } });
  // @ts-expect-error
  client.find('articles', { filters: { $or: [{ title: 'x' }, { titel: 'x' }] } });
  // @ts-expect-error
  client.find('articles', { filters: { $not: { titel: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { $and: [{ $or: [{ $not: { titel: 'x' } }] }] } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { $or: [{ nme: 'x' }] } } });
  // @ts-expect-error
  client.find('articles', { filters: { seo: { metaTitel: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { credits: { person: { nme: 'x' } } } });
  // @ts-expect-error
  client.find('homepage', { filters: { headng: 'x' } });
  // @ts-expect-error
  client.find('users', { filters: { passwort: 'x' } });
  // @ts-expect-error
  client.find('users', { filters: { password: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { fee: 5 } });
  // @ts-expect-error
  client.find('articles', { filters: { editorComment: 'x' } });
  // @ts-expect-error
  client.find('authors', { filters: { articles: { titel: 'x' } } });
  // @ts-expect-error
  client.find('teams', { filters: { members: { mentor: { nme: 'x' } } } });

  // media, zones and relations to any type in filters
  // @ts-expect-error
  client.find('articles', { filters: { cover: { name: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { gallery: { name: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { parts: { id: 1 } } });
  // @ts-expect-error
  client.find('authors', { filters: { portrait: { id: 1 } } });
  // @ts-expect-error
  client.find('bookmarks', { filters: { target: { id: 1 } } });
  // @ts-expect-error
  client.find('bookmarks', { filters: { shelf: { id: 1 } } });
  // @ts-expect-error
  client.find('homepage', { filters: { sections: { id: 1 } } });
  // @ts-expect-error
  client.find('upload/files', { filters: { related: { id: 1 } } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { portrait: { name: 'x' } } } });

  // wrong forms of filters
  // @ts-expect-error
  client.find('articles', { filters: 'title' });
  // @ts-expect-error
  client.find('articles', { filters: 5 });
  // @ts-expect-error
  client.find('articles', { filters: true });
  // @ts-expect-error
  client.find('articles', { filters: { $or: { title: 'x' } } });
  // @ts-expect-error
  client.find('articles', { filters: { $and: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { $not: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { $eq: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { author: 'x' } });
  // @ts-expect-error
  client.find('articles', { filters: { author: true } });
  // @ts-expect-error
  client.find('articles', { filters: { categories: ['x'] } });
  // @ts-expect-error
  client.find('articles', { filters: { author: { $contains: 'x' } } });

  // fields that are no scalar attributes
  // @ts-expect-error
  client.find('articles', { fields: 'titel' });
  // @ts-expect-error
  client.find('articles', { fields: ['titel'] });
  // @ts-expect-error
  client.find('articles', { fields: ['title', 'titel'] });
  // @ts-expect-error
  client.find('articles', { fields: ['author'] });
  // @ts-expect-error
  client.find('articles', { fields: ['cover'] });
  // @ts-expect-error
  client.find('articles', { fields: ['parts'] });
  // @ts-expect-error
  client.find('articles', { fields: ['seo'] });
  // @ts-expect-error
  client.find('articles', { fields: 'author.name' });
  // @ts-expect-error
  client.find('articles', { fields: ['fee'] });
  // @ts-expect-error
  client.find('articles', { fields: [5] });
  // @ts-expect-error
  client.find('articles', { fields: true });
  // @ts-expect-error
  client.find('articles', { fields: { title: true } });
  // @ts-expect-error
  client.find('homepage', { fields: ['title'] });
  // @ts-expect-error
  client.find('users', { fields: ['password'] });
  // @ts-expect-error
  client.find('articles', { fields: 'title,kind' });

  // sorts
  // @ts-expect-error
  client.find('articles', { sort: 'titel' });
  // @ts-expect-error
  client.find('articles', { sort: 'titel:asc' });
  // @ts-expect-error
  client.find('articles', { sort: 'title:down' });
  // @ts-expect-error
  client.find('articles', { sort: 'title:ASC' });
  // @ts-expect-error
  client.find('articles', { sort: ['title', 'titel'] });
  // @ts-expect-error
  client.find('articles', { sort: 'author' });
  // @ts-expect-error
  client.find('articles', { sort: 'author:asc' });
  // @ts-expect-error
  client.find('articles', { sort: 'author.nme' });
  // @ts-expect-error
  client.find('articles', { sort: 'author.nme:desc' });
  // @ts-expect-error
  client.find('articles', { sort: 'author.team.nme' });
  // @ts-expect-error
  client.find('articles', { sort: ['title', 'author.team.nme:asc'] });
  // @ts-expect-error
  client.find('articles', { sort: 'cover.name' });
  // @ts-expect-error
  client.find('articles', { sort: 'parts.id' });
  // @ts-expect-error
  client.find('bookmarks', { sort: 'target.id' });
  // @ts-expect-error
  client.find('articles', { sort: { titel: 'asc' } });
  // @ts-expect-error
  client.find('articles', { sort: { title: 'up' } });
  // @ts-expect-error
  client.find('articles', { sort: { author: 'asc' } });
  // @ts-expect-error
  client.find('articles', { sort: { author: { nme: 'asc' } } });
  // @ts-expect-error
  client.find('articles', { sort: [{ title: 'asc' }, { titel: 'asc' }] });
  // @ts-expect-error
  client.find('articles', { sort: { cover: { name: 'asc' } } });
  // @ts-expect-error
  client.find('articles', { sort: 5 });
  // @ts-expect-error
  client.find('articles', { sort: 'seo.metaTitel' });
  // @ts-expect-error
  client.find('articles', { sort: 'author.name:asc:desc' });

  // names in populate
  // @ts-expect-error
  client.find('articles', { populate: 'autor' });
  // @ts-expect-error
  client.find('articles', { populate: 'title' });
  // @ts-expect-error
  client.find('articles', { populate: 'author.tem' });
  // @ts-expect-error
  client.find('articles', { populate: 'author.name' });
  // @ts-expect-error
  client.find('articles', { populate: 'author.team.leed' });
  // @ts-expect-error
  client.find('articles', { populate: ['author', 'autor'] });
  // @ts-expect-error
  client.find('articles', { populate: ['author.team', 'categries'] });
  // @ts-expect-error
  client.find('articles', { populate: ['author.team.leed'] });
  // @ts-expect-error
  client.find('articles', { populate: { autor: true } });
  // @ts-expect-error
  client.find('articles', { populate: { title: true } });
  // @ts-expect-error
  client.find('articles', { populate: { author: true, autor: true } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { populate: 'tem' } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { populate: ['team', 'tem'] } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { populate: { tem: true } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { populate: { team: { populate: { leed: true } } } } } });
  // @ts-expect-error
  client.find('homepage', { populate: 'author' });
  // @ts-expect-error
  client.find('homepage', { populate: { featured: { populate: { autor: true } } } });
  // @ts-expect-error
  client.find('articles', { populate: { seo: { populate: { sociall: true } } } });
  // @ts-expect-error
  client.find('articles', { populate: true });
  // @ts-expect-error
  client.find('articles', { populate: 5 });
  // @ts-expect-error
  client.find('articles', { populate: [5] });
  // @ts-expect-error
  client.find('articles', { populate: 'deep' });
  // @ts-expect-error
  client.find('articles', { populate: 'author,categories' });

  // options of populate
  // @ts-expect-error
  client.find('articles', { populate: { author: 'name' } });
  // @ts-expect-error
  client.find('articles', { populate: { author: 5 } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { fields: ['nme'] } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { fields: 'nme' } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { fields: ['team'] } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { fields: ['name'], limit: 3 } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { pagination: { page: 1 } } } });
  // @ts-expect-error
  client.find('articles', { populate: { categories: { sort: 'nme' } } });
  // @ts-expect-error
  client.find('articles', { populate: { categories: { sort: ['name', 'parent.nme'] } } });
  // @ts-expect-error
  client.find('articles', { populate: { categories: { sort: { nme: 'asc' } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { nme: 'x' } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { name: 'x', nme: 'x' } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { stars: { $contains: 'x' } } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { stars: { $gt: 1, $contains: 'x' } } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { stars: '5' } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { $or: [{ name: 'x' }, { name: 'x', nme: 'x' }] } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { filters: { team: { name: 'x', nme: 'x' } } } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { count: 5 } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { status: 'draft' } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { locale: 'de' } } });
  // @ts-expect-error
  client.find('articles', { populate: { author: { on: { 'api::author.author': true } } } });
  // @ts-expect-error
  client.find('articles', { populate: { cover: { count: true } } });
  // @ts-expect-error
  client.find('articles', { populate: { gallery: { count: true } } });
  // @ts-expect-error
  client.find('articles', { populate: { localizations: { count: true } } });
  // @ts-expect-error
  client.find('articles', { populate: { related: { populate: { author: { fields: ['nme'] } } } } });

  // zones and relations to any type in populate
  // @ts-expect-error
  client.find('articles', { populate: { parts: { fields: ['id'] } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { filters: { id: 1 } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { sort: 'id' } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { count: true } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { populate: 'person' } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.hero': true } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.quot': true } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.quote': { fields: ['txt'] } } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.quote': { populate: ['pers'] } } } } });
  client.find('articles', {
    // @ts-expect-error
    populate: { parts: { on: { 'block.quote': { populate: { person: { fields: ['nme'] } } } } } },
  });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.quote': { limit: 1 } } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: { 'block.quote': 'text' } } } });
  // @ts-expect-error
  client.find('articles', { populate: { parts: { on: ['block.quote'] } } });
  // @ts-expect-error
  client.find('bookmarks', { populate: { target: { on: { 'api::nothing.nothing': true } } } });
  // @ts-expect-error
  client.find('bookmarks', { populate: { target: { on: { 'api::article.article': { fields: ['titel'] } } } } });
  // @ts-expect-error
  client.find('bookmarks', { populate: { target: { fields: ['id'] } } });
  // @ts-expect-error
  client.find('bookmarks', { populate: { shelf: { on: { 'api::place.place': { populate: 'covr' } } } } });
  // @ts-expect-error
  client.find('bookmarks', { populate: { shelf: { populate: 'cover' } } });

  // names of types
  // @ts-expect-error
  client.find('artcles');
  // @ts-expect-error
  client.find('article');
  // @ts-expect-error
  client.find('api::article.article');
  // @ts-expect-error
  client.find('home');
  // @ts-expect-error
  client.find('');
  // @ts-expect-error
  client.findOne('homepage', 'x');
  // @ts-expect-error
  client.findOne('artcles', 'x');
  // @ts-expect-error
  client.count('homepage');
  // @ts-expect-error
  client.count('artcles');
  // @ts-expect-error
  client.find(5);

  // other parameters
  // @ts-expect-error
  client.find('articles', { locale: 'it' });
  // @ts-expect-error
  client.find('articles', { locale: 5 });
  // @ts-expect-error
  client.find('articles', { locale: ['de', 'it'] });
  // @ts-expect-error
  client.find('articles', { status: 'drafted' });
  // @ts-expect-error
  client.find('articles', { status: true });
  // @ts-expect-error
  client.find('articles', { pagination: { page: '1' } });
  // @ts-expect-error
  client.find('articles', { pagination: { pagSize: 5 } });
  // @ts-expect-error
  client.find('articles', { pagination: 5 });
  // @ts-expect-error
  client.find('articles', { pagination: { page: 1, limit: 5 } });
  // @ts-expect-error
  client.find('articles', { _q: 5 });
  // @ts-expect-error
  client.find('articles', { titel: 3 });
  // @ts-expect-error
  client.find('articles', { filter: {} });
  // @ts-expect-error
  client.find('articles', { populates: 'author' });
  // @ts-expect-error
  client.find('articles', { hasPublishedVersion: 'yes' });
  // @ts-expect-error
  client.findOne('articles', 'x', { filters: {} });
  // @ts-expect-error
  client.findOne('articles', 'x', { sort: 'title' });
  // @ts-expect-error
  client.findOne('articles');
  // @ts-expect-error
  client.findOne('articles', 'x', { fields: ['titel'] });
  // @ts-expect-error
  client.findOne('articles', 'x', { populate: 'autor' });
  // @ts-expect-error
  client.count('articles', { populate: 'author' });
  // @ts-expect-error
  client.count('articles', { filters: { titel: 'x' } });
  // @ts-expect-error
  client.find('articles', {}, { signal: 5 });

  // what a reply does not hold
  // @ts-expect-error
  (await client.find('articles', { fields: ['title'] })).data[0].lead;
  // @ts-expect-error
  (await client.find('articles')).data[0].author;
  // @ts-expect-error
  (await client.find('articles', { populate: { author: false } })).data[0].author;
  // @ts-expect-error
  (await client.find('articles', { populate: 'author' })).data[0].author.name;
  // @ts-expect-error
  (await client.find('articles', { populate: 'author' })).data[0].author?.team;
  // @ts-expect-error
  (await client.find('articles', { populate: { author: { fields: ['name'] } } })).data[0].author?.slug;
  // @ts-expect-error
  (await client.find('articles', { populate: { categories: { count: true } } })).data[0].categories[0];
  // @ts-expect-error
  (await client.find('articles', { populate: { related: { filters: { title: 'x' } } } })).data[0].related[0];
  // @ts-expect-error
  (await client.find('homepage')).data[0];
  // @ts-expect-error
  (await client.find('articles')).data.title;
  // @ts-expect-error
  (await client.findOne('articles', 'x')).data[0];
  // @ts-expect-error
  (await client.find('articles', { populate: 'seo' })).data[0].seo?.documentId;
  // @ts-expect-error
  (await client.find('articles', { populate: 'parts' })).data[0].parts[0].text;
  // @ts-expect-error
  (await client.find('articles')).data[0].fee;
  // @ts-expect-error
  (await client.find('articles')).meta.pagination.total;
  // @ts-expect-error
  (await client.find('articles')).data[0].lead.length;
  // @ts-expect-error
  (await client.find('articles', { status: 'draft' })).data[0].title.length;
  // @ts-expect-error
  (await client.find('articles')).data[0].views?.toFixed();
  // @ts-expect-error
  (await client.find('articles', { populate: ['author.team'] })).data[0].author?.team?.members;
  // @ts-expect-error
  (await client.find('bookmarks', { populate: 'target' })).data[0].target.id;
}
