import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted, Failure } from './report.ts';
import { proposeRoutes } from './strapi-project/project.ts';

/**
 * Derives settings from the code of a Strapi project and prints them as JSON to stdout. Lists code that it cannot
 * interpret on stderr. Parses the code and never runs it.
 */
export function routes(project: string): void {
  if (!existsSync(join(project, 'src/api'))) {
    throw new Failure(`${project} has no folder src/api. Name the folder of a Strapi project.`);
  }
  const { routes: proposed, findings } = proposeRoutes(project);
  console.log(JSON.stringify({ routes: proposed }, null, 2));
  for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`);
  const actions = Object.values(proposed).reduce((total, each) => total + Object.keys(each).length, 0);
  const types = counted(Object.keys(proposed).length, 'content type');
  console.error(`${counted(actions, 'route')} of ${types} proposed; ${counted(findings.length, 'place')} to review`);
}
