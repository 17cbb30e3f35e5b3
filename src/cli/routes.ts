import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted, Failure } from './report.ts';
import { proposeRoutes } from './strapi-project/project.ts';

/**
 * Prints the settings that a Strapi project's own code amounts to, as JSON on stdout. What cannot be read is named on
 * stderr. The code is parsed and never run.
 */
export function routes(project: string): void {
  if (!existsSync(join(project, 'src/api'))) {
    throw new Failure(`${project} has no folder src/api. Name the folder of a Strapi project.`);
  }
  const { routes: proposed, unread } = proposeRoutes(project);
  console.log(JSON.stringify({ routes: proposed }, null, 2));
  for (const { file, line, what } of unread) console.error(`${file}:${line}: ${what}`);
  const actions = Object.values(proposed).reduce((total, each) => total + Object.keys(each).length, 0);
  const types = counted(Object.keys(proposed).length, 'content type');
  console.error(`${counted(actions, 'route')} of ${types} proposed; ${counted(unread.length, 'place')} to look at`);
}
