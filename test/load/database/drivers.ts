import type { OpenDriver } from '../../../src/load/database/database-driver.ts';
import { nodeSqlite, openWithNode } from '../../../src/load/database/node-driver.ts';
import { openWithWasm } from '../../../src/load/database/wasm-driver.ts';

const sqlite = nodeSqlite();

/** The drivers that this Node has, with their names. */
export const drivers: [string, OpenDriver][] = [['WebAssembly', openWithWasm]];
if (sqlite) drivers.push(['node:sqlite', (path) => openWithNode(sqlite, path)]);
