import type { Row, RowTimes } from './rows/row.ts';
import { Stage, type Verdict } from './stage.ts';

/** Milliseconds for a row, so that a hang ends. */
const timeLimit = 300_000;

/** Runs a row on a stage of its own in an empty folder. */
export async function runRow(row: Row, folder: string, times: RowTimes): Promise<Verdict> {
  const stage = await Stage.open(folder, row.options);
  try {
    if (row.isBegun !== false) await stage.begin();
    return await runOn(stage, row, times);
  } finally {
    await stage.close();
  }
}

/** Runs a row on a stage whose servers run already. A failure of the row itself is a problem of the verdict. */
export async function runOn(stage: Stage, row: Row, times: RowTimes): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the row does not end')), timeLimit);
  });
  try {
    let failure: Error | null = null;
    await Promise.race([row.run(stage, times), late]).catch((error: Error) => (failure = error));
    const verdict = await stage.judge();
    return failure ? { ...verdict, problems: [(failure as Error).message, ...verdict.problems] } : verdict;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether all goals are met. */
export function isRight({ reads, failed, mixed, late, gone, lost, problems }: Verdict): boolean {
  return reads > 0 && failed + mixed + late + gone + lost + problems.length === 0;
}

export function describe(name: string, verdict: Verdict): string {
  const { reads, failed, mixed, late, gone, lost, acknowledged, refused, unavailable, problems } = verdict;
  const counts = `${reads} reads, ${failed} failed, ${mixed} mixed; ${late} late, ${gone} gone; ${lost} lost`;
  const changes = `${acknowledged} changes, ${refused} refused, ${unavailable} unavailable`;
  const line = `${isRight(verdict) ? 'right' : 'WRONG'}  ${name}: ${counts}; ${changes}`;
  return [line, ...problems.map((problem) => `       ${problem}`)].join('\n');
}
