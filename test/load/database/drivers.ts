import { nodeSqlite, type OpenDriver, openWithNode, openWithWasm } from '../../../src/load/database/sqlite/drivers.ts';

const sqlite = nodeSqlite();

/** The drivers that this Node has, with their names. */
export const drivers: [string, OpenDriver][] = [['WebAssembly', openWithWasm]];
if (sqlite) drivers.push(['node:sqlite', (path) => openWithNode(sqlite, path)]);
