/**
 * What single operations cost, in the units of core/cost-budget.ts. Every cost of a plan or a sort is a sum of these
 * over numbers of rows and links. Caches play no part, so the same request to the same content is always rejected or
 * never. Operations that read out of order include a miss in the processor's cache.
 */
export const unit = {
  /**
   * Reading, binding and planning one comparison, before its operand is searched for. Without it, a query with a
   * hundred searches for two letters took 2.1 times the median time per unit.
   */
  plannedComparison: 8000,
  /** Counting the rows of one code of a set, and reading one word of it. */
  countedCode: 3,
  codeWord: 2,
  /** Testing one row: a call and a read of its code. */
  testedRow: 8,
  /** Adding one row of a range of codes, or one word of a range that is read from bitmaps. */
  rangeRow: 4,
  /** Adding one row of a list of codes, whose rows are read out of order. */
  listedRow: 8,
  /** Testing one row of a column for codes that are bits. */
  maskedRow: 4,
  /** Making one word of a bit set, combining it with another one, and counting it. */
  bitWord: 3,
  /** Combining one word of a bit set with another one. */
  combinedWord: 1,
  /** Reading where the links of one row begin, on the way back through a relation, and following one of them. */
  reversedRow: 16,
  reversedLink: 5,
  /**
   * Reading where the links of each row of a collection begin, in order. From all 100,000 rows, a row and its link take
   * 3 to 6 ns together; from one row in a hundred, 9 ns.
   */
  orderedRow: 6,
  /** Reading whether one row has links, and whether the target of one of them is reachable. */
  unlinkedRow: 5,
  unlinkedLink: 5,
  /** Starting one name of a sort path, however few the rows. */
  sortName: 500,
  /** Reading, comparing and moving one rank. */
  rank: 10,
  /** Selecting one of the ranked rows, or not: it is counted and moved by its rank. */
  selectedRow: 10,
  /** Ranking one row and moving it by each digit of its rank. */
  sortedRow: 40,
  /** Ranking a row through its links, following one of them, and numbering the row that it leads to. */
  linkedRank: 40,
  sortLink: 8,
  numberedRow: 10,
  /** Additional cost of a row that is read out of order: its value, or its links and their targets. */
  scatteredValue: 15,
  scatteredLinks: 70,
  /**
   * Skipping one row in an index scan, and beginning with the next value: 1 to 2 ns and 10 ns, beside 13 for a rank.
   */
  scannedRow: 1.25,
  scannedValue: 8,
} as const;
