/** What writing a reply costs, in the units of core/cost-budget.ts. */

/** Visiting one link of an entry. */
export const linkCost = 8;

/** Sorting a row in a short list of links costs this many times as much as sorting one of many rows. */
export const listSortFactor = 10;

/** Finding the links of one part of an entry, which usually misses the processor's cache, and beginning to write it. */
export const partCost = 160;

/** Writing an entry, besides its fragments and parts. */
export const nodeCost = 380;

/** Beginning one copy, such as that of a fragment range. */
export const copyCost = 100;

/** Copying one byte. */
export const byteCost = 0.8;

/** Estimating the size of an entry, which usually misses the cache. */
export const countedNodeCost = 80;

/** Estimating the size of one part of an entry. Its links usually miss the cache, too. */
export const countedPartCost = 60;
