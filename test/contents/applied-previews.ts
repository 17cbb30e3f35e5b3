/** A server of one content with a journal, whose previews are compared, applied and rebased over the admin port. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { openWithJournal } from '../../src/content/live/open-journal.ts';
import { openExtension, openWithExtension } from '../../src/content/open.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { definitions, entries } from '../changes/content.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { loadShared } from '../support/open-shared.ts';
import { startContents } from './running-contents.ts';

const usualSnapshot = { ...definitions, entries } as unknown as JsonSnapshot;

const log = createLog({ level: 'silent', format: 'json' } as never);
const opening = readOptions({ public: true });

/** Opens the content with a journal in a file, or without one. */
async function openSite(journal: string | null, snapshot: JsonSnapshot) {
  const loadHere = (_path: string, given?: object) => loadShared(snapshot, given);
  const open = async (around = (load: typeof loadHere) => load) =>
    openWithExtension('given', opening, () => 'options', await openExtension(opening), around(loadHere));
  return journal === null ? { content: await open(), opened: null } : openWithJournal(journal, open as never, log);
}

export interface SiteOptions {
  /** Has the journal and the folder of contents. Default: a new one. */
  folder?: string;
  hasJournal?: boolean;
  /** Default: that of test/changes/content.ts. */
  snapshot?: JsonSnapshot;
  settings?: object;
}

export async function startSite(options: SiteOptions = {}) {
  const { folder = temporaryFolder(), hasJournal = true, settings, snapshot = usualSnapshot } = options;
  const first = await openSite(hasJournal ? join(folder, 'journal') : null, snapshot);
  const rights = ['contents', 'changes', 'pin'];
  const admin = { tokens: [{ name: 'ci', sha256: sha256('admin'), rights }] };
  const running = await startContents({ folder, first, settings: { admin, contents: { folder }, ...settings } });
  const { adminPort } = running;
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const json = { Authorization: 'Bearer admin', 'Content-Type': 'application/json', ...headers };
    const answer = await askServer(adminPort, path, { method, headers: json, body: JSON.stringify(body) });
    return { status: answer.status, body: parsed(answer), text: String(answer.body) };
  };
  const ok = async (...request: Parameters<typeof send>) => {
    const { status, body, text } = await send(...request);
    expect([status, text]).toEqual([status < 300 ? status : 'a success', text]);
    return body;
  };
  return {
    ...running,
    folder,
    send,
    ok,
    putPreview: (changes: unknown[], more: object = {}, name = 'pr') =>
      ok('PUT', `/_contents/${name}`, { base: 'main', changes, ...more }),
    /** Changes the preview, or another content. */
    change: (changes: unknown[], name = 'pr') => ok('POST', `/_changes?content=${name}`, { changes }),
    show: (name = 'pr') => ok('GET', `/_contents/${name}`),
    compare: (query = '', name = 'pr') => ok('GET', `/_contents/${name}/changes${query}`),
    apply: (body: object = {}, headers?: Record<string, string>) => send('POST', '/_contents/pr/apply', body, headers),
    rebase: (body: object = {}) => send('POST', '/_contents/pr/rebase', body),
    /** The entries of a document, as an upsert takes them. */
    read: async (type: string, documentId: string, name = 'main'): Promise<Record<string, any>[]> => {
      const { status, body } = await send('GET', `/_entries/${type}/${documentId}?content=${name}`);
      return status === 404 ? [] : body.entries;
    },
  };
}

function parsed({ body }: HttpAnswer): any {
  try {
    return JSON.parse(String(body));
  } catch {
    return null;
  }
}
