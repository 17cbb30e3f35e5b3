import type { Problems } from '../../core/problems.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { loadProjectContent, openProjectContent, readProjectAccess } from './project-content.ts';
import { ProjectCopies } from './project-copy.ts';
import { readStrapiProject } from './project-folder.ts';

/** Loads a project from a copy of its database, which is removed afterwards. No code of the project is run. */
export async function loadProject(folder: string, problems: Problems, options: LoadOptions): Promise<LoadedSnapshot> {
  const project = await readStrapiProject(folder);
  const copies = new ProjectCopies();
  try {
    const copy = await copies.open(project);
    try {
      const content = openProjectContent(copy.database, project);
      const access = readProjectAccess(copy.database, project);
      return await loadProjectContent(content, access, project, problems, options);
    } finally {
      copy.close();
    }
  } finally {
    await copies.close();
  }
}
