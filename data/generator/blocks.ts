/** Passages as Strapi's rich-text blocks, with a little formatting. */
import type { Random } from './random.ts';
import type { Passage } from './writing.ts';

interface Text {
  type: 'text';
  text: string;
  bold?: true;
  italic?: true;
  code?: true;
}

interface Link {
  type: 'link';
  url: string;
  children: Text[];
}

export type Block =
  | { type: 'paragraph' | 'quote'; children: (Text | Link)[] }
  | { type: 'heading'; level: number; children: Text[] }
  | { type: 'list'; format: 'ordered' | 'unordered'; children: { type: 'list-item'; children: Text[] }[] };

const text = (value: string): Text => ({ type: 'text', text: value });

export function blocks(passages: readonly Passage[], random: Random): Block[] {
  return passages.map((passage): Block => {
    if (passage.heading) return { type: 'heading', level: 2, children: [text(passage.text)] };
    return { type: 'paragraph', children: paragraph(passage.text, random) };
  });
}

/** Mostly plain; now and then the first words are bold, or the last sentence is in italics or a link. */
function paragraph(value: string, random: Random): (Text | Link)[] {
  const style = random.next();
  if (style < 0.1) {
    const cut = value.indexOf(' ', 12);
    if (cut > 0) return [{ type: 'text', text: value.slice(0, cut), bold: true }, text(value.slice(cut))];
  }
  const cut = value.lastIndexOf('. ') + 2;
  if (cut < 2 || style > 0.22) return [text(value)];
  const last = value.slice(cut);
  if (style < 0.17) return [text(value.slice(0, cut)), { type: 'text', text: last, italic: true }];
  const url = `https://lantern.example/notes/${random.integer(100, 999)}?from=body&ref=%C3%A9`;
  return [text(value.slice(0, cut)), { type: 'link', url, children: [text(last)] }];
}

/** A list of short items, as editorials have them. */
export function list(items: readonly string[]): Block {
  return {
    type: 'list',
    format: 'unordered',
    children: items.map((item) => ({ type: 'list-item', children: [text(item)] })),
  };
}
