import { visibleText } from './visible-text.ts';

/** A text of the content, which cannot change the direction or the order of what is around it. */
export function Isolated({ text, title }: { readonly text: string; readonly title?: string }) {
  return <bdi title={title}>{visibleText(text)}</bdi>;
}
