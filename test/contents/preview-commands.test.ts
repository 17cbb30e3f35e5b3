import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tokenVariable } from '../../src/cli/admin-port.ts';
import { applyPreview, listPreviews, printChanges, rebasePreview, showPreview } from '../../src/cli/previews.ts';
import { article, author } from '../changes/content.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

/** `lectern previews`, which asks the admin port. */

let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(...String(text).split('\n')));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stopAll();
});

const environment = { [tokenVariable]: 'admin' };
const lines = () => printed.splice(0);

async function start() {
  const site = await startSite();
  return { ...site, url: `http://127.0.0.1:${site.adminPort}` };
}

const title = (text: string) => ({ patch: article, documentId: 'one', set: { title: text } });
const newAuthor = { upsert: author, entry: { documentId: 'eve', name: 'Eve' } };

test('lists previews, shows one and prints its difference', async () => {
  const { url, putPreview, change } = await start();
  await listPreviews({ url }, environment);
  expect(lines()).toEqual(['There are no previews.']);
  await putPreview([title('New'), newAuthor], { lifetime: 60 });
  await listPreviews({ url }, environment);
  expect(lines()).toEqual([expect.stringMatching(/^pr {2}of main {2}\d+ entries {2}\d+ seconds left$/)]);
  await showPreview('pr', { url }, environment);
  expect(lines()).toEqual([
    expect.stringMatching(/^base +main, version \d+-0$/),
    expect.stringMatching(/^version +\d+-0$/),
    'drafts   not shown',
    'changes  2',
    expect.stringMatching(/^expires +\d{4}-/),
    'fits     yes',
  ]);
  await printChanges('pr', { url, limit: 40 }, environment);
  expect(lines()).toEqual(
    expect.arrayContaining(['api::author.author: 1 added', '  + eve', '      title: "One" -> "New"']),
  );
  await printChanges('pr', { url, limit: 40, json: true }, environment);
  expect(JSON.parse(lines().join('\n'))).toMatchObject({ changeCount: 2, entryCount: 2 });
  await change([{ delete: article, documentId: 'one' }], 'main');
  await showPreview('pr', { url }, environment);
  expect(lines().slice(-2)).toEqual(['fits     no, 1 problem:', expect.stringContaining('changes[0]: no article')]);
});

test('applies chosen documents, and then the others', async () => {
  const { url, putPreview, read } = await start();
  await putPreview([title('New'), newAuthor]);
  const documents = [`${article}/one?locale=en&status=published`];
  await applyPreview('pr', { url, documents, key: 'k' }, environment);
  const [first] = lines();
  expect(first).toMatch(/^Applied 1 change: the base is at \d+-1\. The preview keeps 1 change\.$/);
  await applyPreview('pr', { url, documents, key: 'k' }, environment);
  expect(lines()).toEqual([first]);
  await applyPreview('pr', { url }, environment);
  expect(lines()).toEqual([expect.stringMatching(/^Applied 1 change: .* The preview has no changes left\.$/)]);
  expect((await read(article, 'one'))[0].title).toBe('New');
});

test('names conflicts with their values, and decides them', async () => {
  const { url, putPreview, change } = await start();
  await putPreview([title('New')]);
  await change([title('Meanwhile')], 'main');
  const conflict =
    /answers with 409: .*\n {2}one \(en, published\): .*"title".*\n {4}before "One", base "Meanwhile", preview "New"/;
  await expect(applyPreview('pr', { url }, environment)).rejects.toThrow(conflict);
  await expect(rebasePreview('pr', { url }, environment)).rejects.toThrow(conflict);
  await rebasePreview('pr', { url, take: 'preview' }, environment);
  expect(lines()).toEqual([
    expect.stringMatching(/^The preview has 1 change to \d+-1\. 1 conflict decided for the preview\.$/),
  ]);
});

test('says what is refused, and what is written wrongly', async () => {
  const { url, putPreview } = await start();
  await putPreview([newAuthor]);
  await expect(showPreview('none', { url }, environment)).rejects.toThrow('404: There is no content "none"');
  await expect(showPreview('main', { url }, environment)).rejects.toThrow('"main" is no preview');
  await expect(listPreviews({ url }, {})).rejects.toThrow(
    'set LECTERN_ADMIN_TOKEN to a token of admin.tokens that has the right "contents"',
  );
  await expect(applyPreview('pr', { url }, {})).rejects.toThrow('has the rights "contents" and "changes"');
  await expect(rebasePreview('pr', { url, take: 'both' }, environment)).rejects.toThrow(
    '--take must be base or preview',
  );
  for (const document of ['one', `${article}/`, `${article}/one?page=1`]) {
    await expect(applyPreview('pr', { url, documents: [document] }, environment)).rejects.toThrow('--documents: ');
  }
  await stopAll();
  await expect(listPreviews({ url }, environment)).rejects.toThrow('does not answer');
});
