import type { AnswerCheck } from './answers.ts';
import type { Pair } from './statistics.ts';

/** One cost of both versions, with all pairs that were measured. */
export interface Figure {
  part: 'load' | 'inprocess' | 'http';
  name: string;
  unit: 'milliseconds' | 'bytes';
  pairs: Pair[];
}

export interface ContentComparison {
  content: string;
  answers: AnswerCheck[];
  figures: Figure[];
}

/** Two versions of Lectern. Times are of the processor in user mode, for one call or request. */
export interface CompareResult {
  ours: string;
  theirs: string;
  contents: ContentComparison[];
}

/** Adds the pairs of figures to a list, in the order in which the figures appear. */
export class Figures {
  readonly #list: Figure[];

  constructor(list: Figure[]) {
    this.#list = list;
  }

  add(part: Figure['part'], name: string, unit: Figure['unit'], pair: Pair): void {
    let figure = this.#list.find((each) => each.part === part && each.name === name);
    if (!figure) this.#list.push((figure = { part, name, unit, pairs: [] }));
    figure.pairs.push(pair);
  }
}
