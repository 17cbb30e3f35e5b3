import { writeSnapshot } from '../../data/generator/snapshot.ts';
import type { Content } from './content.ts';

/** Articles of about 1.1 KB with drafts and translations, authors, teams, categories and more. */
export const magazine: Content = {
  name: 'magazine',
  title: 'Magazine: articles with long texts, drafts and translations',
  main: 'article',
  entries: 100_000,
  write: writeSnapshot,
  sources: ['data/generator'],
};
