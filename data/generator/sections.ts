/** The category tree: sections, below them topics, below these the same topic in a part of the world. */
import { slugify, titleCase, words } from './text.ts';
import { SECTIONS, TOPICS, TOPICS_PER_SECTION } from './topics.ts';

export interface Category {
  documentId: string;
  name: string;
  /** Index of the parent, or null for a section. */
  parent: number | null;
  /** Index of the topic, or null for a section. */
  topic: number | null;
}

const REGIONS = words('on the Islands, in the North, by the Sea, in the Mountains, Along the Border');

/** The first `count` categories of the tree, level by level, so that each parent stands before its children. */
export function categories(count: number): Category[] {
  const add = (name: string, parent: number | null, topic: number | null) => {
    if (tree.length < count) tree.push({ documentId: slugify(name), name, parent, topic });
  };
  const tree: Category[] = [];
  for (const section of SECTIONS) add(section, null, null);
  for (const { topic, section, name } of inTurn()) add(name, section, topic);
  for (const region of REGIONS) {
    inTurn().forEach(({ topic, name }, place) => {
      add(`${name} ${region}`, SECTIONS.length + place, topic);
    });
  }
  return tree;
}

/** The topics: first of each section the first, then of each the second, … */
function inTurn(): { topic: number; section: number; name: string }[] {
  return TOPICS.map((_, place) => {
    const section = place % SECTIONS.length;
    const topic = section * TOPICS_PER_SECTION + Math.floor(place / SECTIONS.length);
    return { topic, section, name: titleCase(TOPICS[topic].en) };
  });
}
