import { describe, expect, test } from 'vitest';
import { SnapshotError } from '../../src/core/errors.ts';
import { createLog } from '../../src/server/log/log.ts';
import { type Reloaded, Reloads } from '../../src/server/reloads.ts';

const served: Reloaded = { isNew: true, version: 'v', entries: 1 };

/** Reloads whose loads end when the test says so. */
function controlled({ begins = true, contents = ['main'] } = {}) {
  const lines: Record<string, any>[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const reloads = new Reloads(log);
  const loads: { content: string; resolve(reloaded: Reloaded): void; reject(error: Error): void }[] = [];
  const load = (content: string) =>
    new Promise<Reloaded>((resolve, reject) => void loads.push({ content, resolve, reject }));
  const begin = () => reloads.begin(contents, load);
  if (begins) begin();
  return { reloads, loads, lines, begin };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reloads', () => {
  test('run one at a time, and those scheduled meanwhile share one more', async () => {
    const { reloads, loads } = controlled();
    const first = reloads.schedule('watch');
    await turn();
    const [second, third] = [reloads.schedule('watch'), reloads.schedule('SIGHUP')];
    await turn();
    expect(loads).toHaveLength(1);
    loads[0].resolve(served);
    expect(await first).toMatchObject({ isNew: true, version: 'v' });
    await turn();
    expect(loads).toHaveLength(2);
    loads[1].resolve({ ...served, isNew: false });
    expect(await second).toMatchObject({ isNew: false });
    expect(await third).toBe(await second);
    await turn();
    expect(loads).toHaveLength(2);
    expect(reloads.busy).toBeNull();
    expect(reloads.figures).toMatchObject({ counts: { replaced: 1, unchanged: 1, failed: 0 }, failure: null });
  });

  test('a reload that was scheduled during the first load runs after it', async () => {
    const { reloads, loads, begin } = controlled({ begins: false });
    expect(reloads.busy).toBe('The snapshot is being loaded');
    const scheduled = reloads.schedule('SIGHUP');
    await turn();
    expect(loads).toHaveLength(0);
    begin();
    await turn();
    loads[0].resolve(served);
    expect(await scheduled).toMatchObject(served);
  });

  test('another is refused while one runs or waits', async () => {
    const { reloads, loads } = controlled();
    void reloads.schedule('watch');
    await turn();
    const next = reloads.schedule('watch');
    expect(reloads.busy).toContain('in progress');
    loads[0].resolve(served);
    await turn();
    expect(reloads.busy).toContain('in progress');
    loads[1].resolve(served);
    await next;
    expect(reloads.busy).toBeNull();
  });

  test('a failure is logged and kept until a reload succeeds', async () => {
    const { reloads, loads, lines } = controlled();
    const failed = reloads.schedule('SIGHUP');
    await turn();
    loads[0].reject(new SnapshotError(['a.json: not JSON']));
    await expect(failed).rejects.toThrow('a.json: not JSON');
    expect(reloads.figures.failure).toMatchObject({ error: expect.stringContaining('a.json: not JSON') });
    expect(reloads.figures.counts.failed).toBe(1);
    expect(lines).toMatchObject([{ level: 50, cause: 'SIGHUP', msg: expect.stringMatching(/old content.*problem/s) }]);
    expect(lines[0].err).toBeUndefined();
    const succeeded = reloads.schedule('SIGHUP');
    await turn();
    loads[1].resolve(served);
    await succeeded;
    expect(reloads.figures.failure).toBeNull();
    expect(lines[1]).toMatchObject({ level: 30, cause: 'SIGHUP', version: 'v', msg: 'new content is served' });
  });

  test('a reload that waits runs after a failure', async () => {
    const { reloads, loads } = controlled();
    const first = reloads.schedule('watch');
    await turn();
    const second = reloads.schedule('watch');
    loads[0].reject(new SnapshotError(['x']));
    await expect(first).rejects.toThrow();
    await turn();
    loads[1].resolve(served);
    await second;
  });

  test('an unexpected error is logged with its stack', async () => {
    const { reloads, loads, lines } = controlled();
    const failed = reloads.schedule('request');
    await turn();
    loads[0].reject(new Error('a defect'));
    await expect(failed).rejects.toThrow('a defect');
    expect(lines[0].err.stack).toContain('reloads.test.ts');
  });

  test('a failure before further attempts is only a warning', async () => {
    const { reloads, loads, lines } = controlled();
    const failed = reloads.schedule('watch', { isFinal: false });
    await turn();
    loads[0].reject(new SnapshotError(['half of it is missing']));
    await expect(failed).rejects.toThrow();
    expect(reloads.figures).toMatchObject({ counts: { failed: 0 }, failure: null });
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('half of it is missing') }]);
  });

  test('a content that does not load stops no other, and the log names it', async () => {
    const { reloads, loads, lines } = controlled({ contents: ['cms', 'docs'] });
    const failed = reloads.run('request');
    await turn();
    loads[0].reject(new SnapshotError(['no such folder']));
    await turn();
    expect(loads.map(({ content }) => content)).toEqual(['cms', 'docs']);
    loads[1].resolve(served);
    await expect(failed).rejects.toThrow('cms: no such folder');
    expect(lines).toMatchObject([
      { level: 30, msg: 'new content is served' },
      { level: 50, msg: expect.stringMatching(/^the reload of cms failed, .*cms: no such folder$/s) },
    ]);
    const both = reloads.schedule('SIGHUP');
    await turn();
    loads[2].reject(new SnapshotError(['no such folder']));
    await turn();
    loads[3].reject(new SnapshotError(['not an archive']));
    await expect(both).rejects.toMatchObject({ problems: ['cms: no such folder', 'docs: not an archive'] });
  });

  test('of one content leave the others and their failures alone', async () => {
    const { reloads, loads, lines } = controlled({ contents: ['cms', 'docs'] });
    const failed = reloads.schedule('watch', { content: 'cms' });
    const succeeded = reloads.schedule('watch', { content: 'docs' });
    await turn();
    loads[0].reject(new SnapshotError(['no such folder']));
    await expect(failed).rejects.toThrow('no such folder');
    await turn();
    loads[1].resolve(served);
    await succeeded;
    expect(loads.map(({ content }) => content)).toEqual(['cms', 'docs']);
    expect(lines[1]).toMatchObject({ content: 'docs', msg: 'new content is served' });
    expect(reloads.figures.failure).toMatchObject({ error: expect.stringContaining('cms: no such folder') });
    const again = reloads.schedule('watch', { content: 'cms' });
    await turn();
    loads[2].resolve(served);
    await again;
    expect(reloads.figures.failure).toBeNull();
  });
});
