import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import { SilentSourceError, UnpublishedError } from '../../src/core/errors.ts';
import { PublicationReader } from '../../src/follow/publication/publication-reader.ts';
import type { PublicationSource, SourceChange } from '../../src/follow/source-reader.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { digestOfReplySettings, replySettingsOf } from '../../src/model/settings/reply-settings.ts';
import { versionText } from '../../src/store/content-version.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { temporaryFolder } from '../support/folders.ts';
import { MemoryPublication } from './memory-publication.ts';
import { retitled, TestPublisher, things } from './test-publisher.ts';

const readers: PublicationReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});

const times = { wait: 20, lost: 200, reloads: { first: 5, last: 20 }, jitter: 5 };

function sourceIn(cacheDir: string): PublicationSource {
  const settings = replySettingsOf(configSchema.parse({}));
  const has = { acceptsCredentials: true, hasJwtSecret: false, hasUploads: false };
  return {
    kind: 'publication',
    to: 'redis://127.0.0.1:6379/0',
    name: 'site',
    images: '',
    cacheDir,
    drafts: false,
    users: true,
    settings,
    has,
  };
}

/** Reads a publication. */
function readerOf(publication: MemoryPublication, cacheDir = temporaryFolder()) {
  const warnings: string[] = [];
  const unchanged: number[] = [];
  const reader = new PublicationReader(sourceIn(cacheDir), {
    publication,
    onUnchanged: (readAt) => void unchanged.push(readAt),
    onWarning: (message) => void warnings.push(message),
    secrets,
    times,
  });
  readers.push(reader);
  return { reader, warnings, unchanged, cacheDir };
}

async function publish() {
  const publication = new MemoryPublication();
  const publisher = await TestPublisher.begin(publication);
  return { publication, publisher };
}

function versionOf({ version }: LoadedSnapshot): string {
  return versionText(version!);
}

function imagesIn(cacheDir: string): string[] {
  return readdirSync(cacheDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lectern'));
}

function versionsOf(changes: readonly SourceChange[]): (string | null)[] {
  return changes.map((change) => (change.kind === 'changes' ? versionText(change.changes.at(-1)!) : null));
}

test('a load is the image with the log up to the head', async () => {
  const { publication, publisher } = await publish();
  await publisher.retitle('Second');
  await publisher.retitle('Third');
  const loaded = await readerOf(publication).reader.load({});
  expect(versionOf(loaded)).toBe(versionText(publisher.head));
  expect(stateDigest(loaded)).toBe(publisher.head.digest);
});

test('a load takes a long log, and names a change of it that does not fit', async () => {
  const { publication, publisher } = await publish();
  for (let i = 0; i < 250; i++) await publisher.retitle(`Title ${i}`);
  const { reader } = readerOf(publication);
  const loaded = await reader.load({});
  expect([stateDigest(loaded), versionOf(loaded)]).toEqual([publisher.head.digest, versionText(publisher.head)]);
  const last = publication.log.pop()!;
  publication.log.push({ ...last, changes: retitled('Another') });
  const reason = `the change ${versionText(last)} of the log: leads to the digest`;
  await expect(reader.load({})).rejects.toThrow(reason);
});

test('changes of the log follow, those that wait together', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  const changes = [await publisher.retitle('Second'), await publisher.retitle('Third')];
  expect(await reader.next()).toMatchObject({ kind: 'changes', changes });
  const next = reader.next();
  await publisher.change(retitled('Fourth'));
  expect(versionsOf([await next])).toEqual([versionText(publisher.head)]);
});

test('a load ends though the publisher is faster, and the rest follows', async () => {
  const { publication, publisher } = await publish();
  await publisher.retitle('Second');
  const readFrom = publication.readFrom.bind(publication);
  let added = 0;
  publication.readFrom = async (...given) => {
    const read = await readFrom(...given);
    if (++added < 20) await publisher.retitle(`Added ${added}`);
    return read;
  };
  const { reader } = readerOf(publication);
  const loaded = await reader.load({});
  expect(added).toBeLessThan(5);
  publication.readFrom = readFrom;
  let { sequence } = loaded.version!;
  expect(sequence).toBeLessThan(publisher.head.sequence);
  while (sequence < publisher.head.sequence) {
    const [version] = versionsOf([await reader.next()]);
    expect(version).toBe(versionText({ epoch: publisher.head.epoch, sequence: ++sequence }));
  }
});

test('content that equals the head is reported as fresh', async () => {
  const { publication, publisher } = await publish();
  const { reader, unchanged } = readerOf(publication);
  await reader.load({});
  const next = reader.next();
  await vi.waitUntil(() => unchanged.length > 0);
  await publisher.retitle('Second');
  expect((await next).kind).toBe('changes');
});

test('an image that is in the folder is not downloaded again, unless it is damaged', async () => {
  const { publication } = await publish();
  const { cacheDir } = readerOf(publication);
  await readerOf(publication, cacheDir).reader.load({});
  await readerOf(publication, cacheDir).reader.load({});
  expect(publication.downloads).toHaveLength(1);
  const [image] = imagesIn(cacheDir);
  writeFileSync(join(cacheDir, image), 'damaged');
  await readerOf(publication, cacheDir).reader.load({});
  expect(publication.downloads).toHaveLength(2);
});

test('the newest two images stay', async () => {
  const { publication, publisher } = await publish();
  const cacheDir = temporaryFolder();
  for (const title of ['Second', 'Third', 'Fourth']) {
    await publisher.retitle(title);
    await publisher.publishImage();
    await readerOf(publication, cacheDir).reader.load({});
  }
  const shas = imagesIn(cacheDir).map((name) => name.slice(-72, -8));
  expect(shas.sort()).toEqual(publication.downloads.slice(-2).sort());
});

test('without a head, a load says that nothing is published', async () => {
  const { reader } = readerOf(new MemoryPublication());
  await expect(reader.load({})).rejects.toThrow(UnpublishedError);
  await expect(reader.load({})).rejects.toThrow('redis://127.0.0.1:6379/0 site: nothing is published there');
});

test('a publication that is away, or has lost its head, can be read again', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  publication.isAway = true;
  await expect(reader.load({})).rejects.toThrow(SilentSourceError);
  publication.isAway = false;
  await reader.load({});
  publication.isAway = true;
  await expect(reader.next()).rejects.toThrow('it cannot be reached');
  publication.isAway = false;
  const { head } = publication;
  publication.head = null;
  await expect(reader.next()).rejects.toThrow('nothing is published');
  publication.head = head;
  await publisher.retitle('Second');
  expect((await reader.next()).kind).toBe('changes');
});

test.each<[string, RegExp, (publication: MemoryPublication, publisher: TestPublisher) => unknown]>([
  ['a gap', /^the log lacks the changes between 1\d+-0 and 1\d+-2$/, (publication) => void publication.log.shift()],
  ['a trimmed log', /^the log has no changes between 1\d+-0 and 1\d+-2$/, (publication) => void (publication.log = [])],
  [
    'a fork',
    /^the change 1\d+-1 was made to other content: its digest is wrong/,
    ({ log }) => void (log[0] = { ...log[0], digests: { ...log[0].digests, before: 'wrong' } }),
  ],
  ['another epoch', /^the publisher has begun anew, with 1\d+-0$/, (_, publisher) => publisher.begin(things('Other'))],
])('%s causes a load, which leads on', async (_, reason, damage) => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  await publisher.retitle('Second');
  await publisher.retitle('Third');
  await damage(publication, publisher);
  expect(await reader.next()).toMatchObject({ kind: 'reload', reason: expect.stringMatching(reason) });
  await publisher.publishImage();
  publication.log = [];
  expect(versionOf(await reader.load({}))).toBe(versionText(publisher.head));
  await publisher.retitle('Fourth');
  expect(versionsOf([await reader.next()])).toEqual([versionText(publisher.head)]);
});

test('other content of the same version causes a load', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  publication.head = { ...publisher.head, digest: 'another' };
  expect(await reader.next()).toMatchObject({
    kind: 'reload',
    reason: expect.stringContaining('has other content as'),
  });
});

test('a head that leaps to an image causes a load', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  publisher.make(retitled('Large'));
  const image = await publisher.putImage();
  await publisher.announce({ ...publisher.state, image });
  expect((await reader.next()).kind).toBe('reload');
  expect(versionOf(await reader.load({}))).toBe(versionText(publisher.head));
});

test('a head that has lost changes is waited for, and then taken', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  const change = await publisher.retitle('Second');
  const after = publication.head!;
  expect((await reader.next()).kind).toBe('changes');
  const { image } = publisher.head;
  publication.head = { ...publisher.head, epoch: image.epoch, sequence: image.sequence, digest: image.digest };
  publication.log = [];
  const next = reader.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  // the publisher appends again
  publication.log = [change];
  publication.head = after;
  publication.tell();
  const third = await publisher.retitle('Third');
  expect(await next).toMatchObject({ kind: 'changes', changes: [third] });
  publication.head = { ...publisher.head, epoch: image.epoch, sequence: image.sequence, digest: image.digest };
  publication.log = [];
  const started = performance.now();
  expect(await reader.next()).toMatchObject({ kind: 'reload', reason: expect.stringMatching(/has lost the changes/) });
  expect(performance.now() - started).toBeGreaterThan(times.lost * 0.9);
  expect(versionOf(await reader.load({}))).toBe(versionText(image));
});

test.each<[string, string, (publication: MemoryPublication, publisher: TestPublisher) => unknown]>([
  [
    'a wrong digest of the image',
    'and the publication says wrong',
    (publication, { head }) => {
      publication.head = { ...head, image: { ...head.image, digest: 'wrong' } };
    },
  ],
  [
    'another version of the image',
    'and the publication says',
    (publication, { head }) => {
      publication.head = { ...head, epoch: head.epoch + 1, image: { ...head.image, epoch: head.epoch + 1 } };
    },
  ],
  ['a missing image', 'there is no image', (publication) => publication.images.clear()],
  [
    'other bytes',
    'it holds other bytes',
    (publication, { head }) => {
      publication.images.set(head.image.sha256, Buffer.from('other'));
    },
  ],
  [
    'a file that is no image',
    'is not an image',
    async (publication, { head }) => {
      const path = join(temporaryFolder(), 'other');
      writeFileSync(path, '{"contentTypes": []}');
      publication.head = { ...head, image: { ...head.image, ...(await publication.putImage(path)) } };
    },
  ],
  [
    'a change that does not fit',
    'is no content type',
    (publication, publisher) => {
      const batch = { entities: [{ type: 'api::other.other', id: 1, data: {} }], links: [] };
      const change = { ...publisher.make(retitled('Second')), changes: batch };
      return publication.appendIf(publisher.head, { ...publisher.head, ...publisher.state }, [change]);
    },
  ],
  [
    'a change that is none',
    'of the log: must be',
    (publication, publisher) => {
      const change = { ...publisher.make(retitled('Second')), changes: null };
      return publication.appendIf(publisher.head, { ...publisher.head, ...publisher.state }, [change]);
    },
  ],
  [
    'a change to other content',
    'leads to the digest',
    (publication, publisher) => {
      const change = { ...publisher.make(retitled('Second')), changes: retitled('Third') };
      return publication.appendIf(publisher.head, { ...publisher.head, ...publisher.state }, [change]);
    },
  ],
  [
    'a log that ends early',
    'the log does not lead from the image',
    (publication, { head }) => {
      publication.head = { ...head, sequence: 4 };
    },
  ],
  [
    'tokens that are none',
    'the API tokens of its head: 0 is wrong',
    (_, publisher) => {
      return publisher.announce({ access: { apiTokens: ['secret text'], emailConfirmation: false } });
    },
  ],
])('%s is refused, and can be mended', async (_, problem, damage) => {
  const { publication, publisher } = await publish();
  await damage(publication, publisher);
  const { reader } = readerOf(publication);
  await expect(reader.load({})).rejects.toThrow(problem);
  publication.head = null;
  const mended = await TestPublisher.begin(publication);
  expect(versionOf(await reader.load({}))).toBe(versionText(mended.head));
});

test('a download that fails is tried again after a pause', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  const { sha256 } = publisher.head.image;
  const image = publication.images.get(sha256)!;
  publication.images.clear();
  const lasted: number[] = [];
  for (let n = 0; n < 4; n++) {
    const started = performance.now();
    await expect(reader.load({})).rejects.toThrow('there is no image');
    lasted.push(performance.now() - started);
  }
  // the third pause is at least half of the longest
  expect(lasted[3]).toBeGreaterThan(times.reloads.last * 0.4);
  publication.images.set(sha256, image);
  expect(versionOf(await reader.load({}))).toBe(versionText(publisher.head));
});

test('another dialect than that of the publisher is refused', async () => {
  const { publication } = await publish();
  await expect(readerOf(publication).reader.load({ dialect: 'strapi' })).rejects.toThrow(/dialect/);
});

test('reloads shortly after one another are apart', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  const pauses: number[] = [];
  for (let n = 0; n < 4; n++) {
    await reader.load({});
    await publisher.begin(things(`Epoch ${n}`));
    const started = performance.now();
    expect((await reader.next()).kind).toBe('reload');
    pauses.push(performance.now() - started);
  }
  expect(pauses[3]).toBeGreaterThan(8);
});

test('tokens of the head are served in place of those of the image, and others as they come', async () => {
  const { publication, publisher } = await publish();
  const { reader } = readerOf(publication);
  const tokens = [apiToken('one')];
  await publisher.announce({ access: { apiTokens: tokens, emailConfirmation: false } });
  expect((await reader.load({})).apiTokens).toEqual(tokens);
  await publisher.announce({ access: { apiTokens: [], emailConfirmation: false } });
  expect(await reader.next()).toMatchObject({ kind: 'access', access: { apiTokens: [], secrets } });
});

test('what is pinned comes with the load, and another pin as a change', async () => {
  const { publication, publisher } = await publish();
  const { reader, cacheDir } = readerOf(publication);
  const pinned = publisher.head.image;
  await publisher.retitle('Second');
  await publisher.announce({ pinned });
  const loaded = await reader.load({});
  expect(loaded.pinned).toMatchObject({ version: { epoch: pinned.epoch, sequence: 0 }, digest: pinned.digest });
  expect(versionOf(loaded)).toBe(versionText(publisher.head));
  await publisher.announce({ pinned: null });
  expect(await reader.next()).toMatchObject({ kind: 'pin', pinned: null });
  const other = await publisher.putImage();
  await publisher.announce({ pinned: other });
  expect(await reader.next()).toMatchObject({ kind: 'pin', pinned: { digest: other.digest } });
  expect(imagesIn(cacheDir).some((name) => name.includes(other.sha256))).toBe(true);
});

test('settings that decide about replies are warned of once, when they are others', async () => {
  const { publication, publisher } = await publish();
  const { reader, warnings } = readerOf(publication);
  const { settings } = sourceIn('');
  await publisher.announce({ settings: digestOfReplySettings(settings, publisher.loaded) });
  await reader.load({});
  expect(warnings).toEqual([]);
  await publisher.announce({ settings: 'others' });
  await reader.load({});
  await publisher.retitle('Second');
  await reader.next();
  expect(warnings).toEqual([expect.stringContaining('the publisher has other settings that decide about replies')]);
});

test('a load says what a replica refuses for want of a secret', async () => {
  const { publication, publisher } = await publish();
  await publisher.announce({ access: { apiTokens: [apiToken('one'), apiToken('two')], emailConfirmation: false } });
  const reader = new PublicationReader(sourceIn(temporaryFolder()), {
    publication,
    onUnchanged: () => {},
    onWarning: () => {},
    secrets: { apiTokenSalt: null, jwtSecret: null, jwtManagement: 'legacy-support' },
    times,
  });
  readers.push(reader);
  const { warnings } = await reader.load({});
  expect(warnings.map(({ message }) => message)).toEqual([
    'the 2 API tokens of the Strapi are refused on this replica: give it the environment variable API_TOKEN_SALT of the Strapi',
  ]);
});

test('closing ends a wait', async () => {
  const { publication } = await publish();
  const { reader } = readerOf(publication);
  await reader.load({});
  const next = reader.next();
  await reader.close();
  await expect(next).rejects.toThrow('reading it has ended');
});
