import type { Problems } from '../../base/problems.ts';
import { readStrapiProject } from '../../strapi-project/project-folder.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { loadProjectContent } from './project-content.ts';
import { ProjectCopies } from './project-copy.ts';

/** Loads a project from a copy of its database, which is removed afterwards. No code of the project is run. */
export async function loadProject(folder: string, problems: Problems, options: LoadOptions): Promise<LoadedSnapshot> {
  const project = await readStrapiProject(folder);
  const copies = new ProjectCopies();
  try {
    const copy = await copies.open(project, problems);
    try {
      return await loadProjectContent(copy.content, project, problems, options);
    } finally {
      copy.close();
    }
  } finally {
    await copies.close();
  }
}
