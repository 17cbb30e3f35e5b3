/** The printed issues: one a quarter since winter 2005. */
import { words } from './text.ts';

export interface Issue {
  documentId: string;
  number: number;
  season: string;
  year: number;
  theme: string;
  /** First moment of the quarter, and first moment after it. */
  start: number;
  end: number;
}

const SEASONS = ['winter', 'spring', 'summer', 'autumn'];
const FIRST_YEAR = 2005;
const LAST_NUMBER = 84;

const THEMES = words(`
  Thresholds, Salt, Slow Machines, The Left Hand, Borrowed Light, Ferries, Weights and Measures, Noise, Bread
  Second Languages, Ladders, The Week, Unfinished Maps, Fog, Rope, Neighbours, Small Print, Orchards, Paper
  Night Shifts, Keys, The Middle Distance, Glass, Rehearsals, Tides, Spare Parts, Waiting Rooms, Ash, Corners
  Handwriting, Echoes, Lost Property, The Long Way Round, Lanterns
`);

/** The `count` newest issues, oldest first. */
export function issues(count: number): Issue[] {
  return Array.from({ length: count }, (_, index) => {
    const number = LAST_NUMBER - count + 1 + index;
    // number 1 came out in December 2005
    const month = 11 + 3 * (number - 1);
    const start = Date.UTC(FIRST_YEAR, month, 1);
    const year = new Date(start).getUTCFullYear();
    const season = SEASONS[(number - 1) % 4];
    const theme = THEMES[(number * 5) % THEMES.length];
    return {
      documentId: `${year}-${season}`,
      number,
      season,
      year,
      theme,
      start,
      end: Date.UTC(FIRST_YEAR, month + 3, 1),
    };
  });
}
