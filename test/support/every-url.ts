import type { Content } from '../../src/index.ts';
import { routeOf } from '../../src/model/schema/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { caseCount } from './cases.ts';

/**
 * Lists, filters, searches, sorts, populates and counts, over every attribute of every content type. Returns a third of
 * these URLs unless all cases run.
 */
export function everyUrl({ schema }: Pick<Store, 'schema'>): string[] {
  const urls = Array.from(schema.types.values()).flatMap((type) => {
    if (type.kind === 'component') return [];
    const path = `/api/${routeOf(type)}`;
    const each = Array.from(type.attributes.keys()).flatMap((name) => [
      `${path}?filters[${name}][$notNull]=true&fields=id`,
      `${path}?filters[${name}][$containsi]=e`,
      `${path}?sort=${name}:desc&pagination[pageSize]=2`,
      `${path}?populate[${name}][populate]=*`,
    ]);
    return [path, `${path}?populate=*&status=draft`, `${path}?_q=a&locale=*`, `${path}/count`, ...each];
  });
  // by threes, because the kinds of URLs come by fours
  const step = caseCount(1, 3);
  return urls.filter((_, i) => i % step === 0);
}

/** Status and body of each reply. */
export async function answersOf(content: Content, urls: readonly string[]): Promise<string[]> {
  const replies = await Promise.all(urls.map((url) => content.answer(url)));
  return replies.map(({ status, body }) => `${status} ${body}`);
}
