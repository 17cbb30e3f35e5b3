import { writeLinks } from '../../data/generator/links.ts';
import type { Content } from './content.ts';

export const links: Content = {
  name: 'links',
  title: 'small entries with many relations',
  main: 'track',
  entries: 100_000,
  write: writeLinks,
};
