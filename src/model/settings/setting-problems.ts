/** Problems of settings that are found when the content is known, with the source of each setting. */
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
