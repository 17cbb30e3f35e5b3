import type { PublicationSource } from '../source-reader.ts';

/** Names a publication in messages, such as `redis://127.0.0.1:6379/0 site`. Addresses hold no secrets. */
export function nameOfPublication({ to, name }: Pick<PublicationSource, 'to' | 'name'>): string {
  return `${to} ${name}`;
}
