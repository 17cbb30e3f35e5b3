// The types of files and folders, as an export has them.
export const FILE = 'plugin::upload.file';
export const FOLDER = 'plugin::upload.folder';

export const folderSchemas = [
  {
    uid: FILE,
    info: { singularName: 'file', pluralName: 'files' },
    attributes: {
      name: { type: 'string' },
      folder: { type: 'relation', relation: 'manyToOne', target: FOLDER, inversedBy: 'files', private: true },
      folderPath: { type: 'string', private: true },
    },
  },
  {
    uid: FOLDER,
    info: { singularName: 'folder', pluralName: 'folders' },
    attributes: {
      name: { type: 'string' },
      pathId: { type: 'integer' },
      path: { type: 'string' },
      parent: { type: 'relation', relation: 'manyToOne', target: FOLDER, inversedBy: 'children' },
      children: { type: 'relation', relation: 'oneToMany', target: FOLDER, mappedBy: 'parent' },
      files: { type: 'relation', relation: 'oneToMany', target: FILE, mappedBy: 'folder' },
    },
  },
];
