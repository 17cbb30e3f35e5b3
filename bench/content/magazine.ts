import { writeSnapshot } from '../../data/generator/snapshot.ts';
import type { Content } from './content.ts';

export const magazine: Content = {
  name: 'magazine',
  title: 'articles with long texts, drafts and translations',
  main: 'article',
  entries: 100_000,
  write: writeSnapshot,
};
