/** Problems of settings that are found when the content is known, with the source of each setting. */
import type { z } from 'zod';
import { pathText } from '../../core/describe-problem.ts';

/** Returns where the setting at a path was given: a config file, a variable, `flags` or `options`. */
export type SourceOf = (path: readonly PropertyKey[]) => string;

export interface SettingProblem {
  /** The path of the setting. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns a problem whose message is the path followed by `text`. */
export function problemAt(path: readonly PropertyKey[], text: string): SettingProblem {
  return { path, message: `${pathText(path)}${text}` };
}

/** Returns the message with the source of the setting in front. */
export function withSource({ path, message }: SettingProblem, sourceOf: SourceOf): string {
  return `${sourceOf(path)}: ${message}`;
}

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
