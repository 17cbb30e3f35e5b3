import { writePages } from '../../data/generator/pages.ts';
import type { Content } from './content.ts';

export const pages: Content = {
  name: 'pages',
  title: 'wide entries with components, dynamic zones and long JSON',
  main: 'page',
  entries: 10_000,
  write: writePages,
};
