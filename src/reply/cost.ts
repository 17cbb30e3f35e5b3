/** What writing a reply costs, in steps, as base/cost-budget.ts counts them. */

/** To look at one link of an entry that is written. */
export const linkCost = 8;

/** To look for what one part of an entry leads to, most often in places far apart, and to begin it. */
export const partCost = 160;

/** To write an entry, one part of it, and one byte. */
export const nodeCost = 380;
export const copyCost = 100;
export const byteCost = 0.8;

/** To count an entry ahead, and one part of it: what is read of both stands in places far apart. */
export const countedNodeCost = 80;
export const countedPartCost = 60;
