/** What writing a reply costs, in the units of base/cost-budget.ts. */

/** Visiting one link of an entry. */
export const linkCost = 8;

/** Finding the links of one part of an entry, mostly in distant memory, and beginning to write it. */
export const partCost = 160;

/** Writing an entry, one of its fragment ranges, and one byte. */
export const nodeCost = 380;
export const copyCost = 100;
export const byteCost = 0.8;

/** Estimating the size of an entry, and of one part of it. Both read from distant memory. */
export const countedNodeCost = 80;
export const countedPartCost = 60;
