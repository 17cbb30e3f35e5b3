import type { OwnList, RowAddress } from './source-row.ts';

interface LinkingRow {
  readonly lists: readonly OwnList[];
}

/** The rows that link to each row, for the changes that move or delete links to it. */
export class LinkSources<Row extends LinkingRow> {
  /** By type and id of the target. A single row stands for itself, as most targets have one. */
  readonly #byTarget = new Map<string, Map<number, Row | Row[]>>();

  to({ type, id }: RowAddress): readonly Row[] {
    const rows = this.#byTarget.get(type)?.get(id) ?? [];
    return Array.isArray(rows) ? rows : [rows];
  }

  add(row: Row): void {
    for (const { type, id } of targetsOf(row)) {
      let ofType = this.#byTarget.get(type);
      if (!ofType) this.#byTarget.set(type, (ofType = new Map()));
      const rows = ofType.get(id);
      if (Array.isArray(rows)) rows.push(row);
      else ofType.set(id, rows ? [rows, row] : row);
    }
  }

  delete(row: Row): void {
    for (const { type, id } of targetsOf(row)) {
      const ofType = this.#byTarget.get(type)!;
      const rows = ofType.get(id)!;
      if (!Array.isArray(rows) || rows.length === 1) {
        ofType.delete(id);
        continue;
      }
      rows[rows.indexOf(row)] = rows.at(-1)!;
      rows.pop();
    }
  }
}

/** Returns the targets of all lists of a row, each once. */
function targetsOf({ lists }: LinkingRow): Iterable<RowAddress> {
  const targets = lists.flatMap((list) => list.targets);
  return new Map(targets.map((target) => [`${target.type} ${target.id}`, target])).values();
}
