import type { z } from 'zod';

/** Rejects two items with the same key, because one of them would silently have no effect. */
export function unique<T>(key: (item: T) => string, keyName: string) {
  return (items: T[], context: z.RefinementCtx<T[]>) => {
    const seen = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const first = seen.get(key(item));
      if (first === undefined) {
        seen.set(key(item), index);
        continue;
      }
      const message = `must differ from the ${keyName} of item ${first}`;
      context.addIssue({ code: 'custom', path: [index, keyName], message });
    }
  };
}
