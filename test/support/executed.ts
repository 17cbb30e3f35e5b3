import { type Profiler, Session } from 'node:inspector';

/**
 * Counts how often the blocks of this project's code run during `work`: a measure of work that no other load changes.
 * Calls of native code count nothing by themselves.
 */
export function countExecutedBlocks(work: () => void): number {
  const session = new Session();
  session.connect();
  const post = (method: string, parameters?: object) => session.post(method, parameters);
  try {
    post('Profiler.enable');
    post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    work();
    let count = 0;
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      count = result.filter(({ url }) => url.includes('/src/')).reduce((sum, script) => sum + countsOf(script), 0);
    });
    return count;
  } finally {
    session.disconnect();
  }
}

function countsOf({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}
