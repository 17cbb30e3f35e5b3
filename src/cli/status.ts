import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../model/settings/config.ts';
import { type OpenedPublication, openPublication } from '../publication/open-publication.ts';
import type { Head, Member } from '../publication/publication.ts';
import { isLater, versionText } from '../store/content-version.ts';
import { counted, Failure, megabytes, table } from './report.ts';
import { checkPublication } from './sources.ts';

export interface StatusFlags {
  /** The name under which a publisher publishes. */
  readonly name: string;
  readonly json?: boolean;
}

/** Milliseconds for which replicas may serve an earlier version than the publisher before the status warns of them. */
const patience = 5000;
const interval = 250;

/** What `lectern status --json` prints. */
export interface PublicationStatus {
  readonly publication: string;
  readonly name: string;
  readonly head: { readonly version: string; readonly digest: string };
  readonly image: {
    readonly version: string;
    readonly sha256: string;
    readonly bytes: number;
    /** When its epoch began, as ISO 8601. */
    readonly epochBegan: string;
  };
  /** Changes in the log since the image. */
  readonly changes: number;
  readonly pinned: string | null;
  readonly publishers: readonly Member[];
  readonly replicas: readonly ReplicaStatus[];
  readonly warnings: readonly string[];
}

/** A replica, and how many versions it is behind; null if no number says so: it serves nothing yet, or another epoch. */
type ReplicaStatus = Member & { readonly behind: number | null };

/** Prints what is published under a name, and who publishes and serves it. Throws a Failure if nothing is. */
export async function status(to: string, { name, json }: StatusFlags, { images }: Config): Promise<void> {
  checkPublication(to, name, images ?? unread);
  const warnings: string[] = [];
  const opened = await openPublication({ to, name, images: images ?? unread }, process.env, (one) =>
    warnings.push(one),
  );
  try {
    const found = await look(opened, { to, name, warnings });
    if (json) console.log(JSON.stringify(found, null, 2));
    else print(found);
  } finally {
    await opened.close();
  }
}

/** No image is read. */
const unread = '.';

interface Asked {
  readonly to: string;
  readonly name: string;
  readonly warnings: readonly string[];
}

async function look({ publication, presence }: OpenedPublication, asked: Asked): Promise<PublicationStatus> {
  const head = await publication.readHead();
  if (!head) throw new Failure(`${asked.to} ${asked.name}: nothing is published there under this name`);
  const members = await waitForReplicas(() => presence.members(), servedVersion(head));
  const { image, pinned } = head;
  const publishers = members.filter(({ role }) => role === 'publisher');
  const replicas = members.flatMap((member) =>
    member.role === 'replica' ? [{ ...member, behind: behindBy(member, head) }] : [],
  );
  return {
    publication: asked.to,
    name: asked.name,
    head: { version: versionText(head), digest: head.digest },
    image: {
      version: versionText(image),
      sha256: image.sha256,
      bytes: image.bytes,
      epochBegan: new Date(image.epoch).toISOString(),
    },
    changes: head.sequence - image.sequence,
    pinned: pinned && versionText(pinned),
    publishers,
    replicas,
    warnings: [...asked.warnings, ...warningsOf(publishers, replicas, head)],
  };
}

/** Returns the members, after a while if replicas have not served a version by then. */
async function waitForReplicas(members: () => Promise<Member[]>, version: string): Promise<Member[]> {
  const until = performance.now() + patience;
  for (;;) {
    const found = await members();
    if (performance.now() >= until || found.every((member) => hasServed(member, version))) return found;
    await sleep(interval);
  }
}

function hasServed({ role, version: served }: Member, version: string): boolean {
  return role === 'publisher' || (served !== null && !isLater(version, served));
}

function servedVersion({ pinned, ...head }: Head): string {
  return versionText(pinned ?? head);
}

function behindBy({ version }: Member, head: Head): number | null {
  const { epoch, sequence } = head.pinned ?? head;
  const [servedEpoch, served] = (version ?? '').split('-').map(Number);
  // the head was read before the version
  return servedEpoch === epoch ? Math.max(0, sequence - served) : null;
}

function warningsOf(publishers: readonly Member[], replicas: readonly ReplicaStatus[], head: Head): string[] {
  const version = servedVersion(head);
  const late = replicas.filter((replica) => !hasServed(replica, version)).map(({ name }) => name);
  return [
    publishers.length === 0 && 'no publisher is alive: nothing new is published',
    publishers.length > 1 &&
      `${publishers.length} publishers are alive (${publishers.map(({ name }) => name).join(', ')}): only one of them can publish`,
    late.length > 0 && `${late.join(', ')}: ${version} is not served yet after ${patience / 1000} s`,
  ].filter((text) => text !== false);
}

function print({ publication, name, head, image, changes, pinned, publishers, replicas, warnings }: PublicationStatus) {
  console.log(`${name} at ${publication}: version ${head.version}, digest ${head.digest}`);
  console.log(
    `image: version ${image.version}, ${megabytes(image.bytes)}, SHA-256 ${image.sha256}, epoch of ${image.epochBegan}`,
  );
  console.log(`log: ${counted(changes, 'change', 'changes')} since the image`);
  if (pinned !== null) console.log(`pinned: ${pinned}`);
  const rows = [
    ...publishers.map((member) => [...columnsOf(member), '']),
    ...replicas.map((replica) => [...columnsOf(replica), behindText(replica)]),
  ];
  if (rows.length > 0) console.log(`\n${table([['role', 'name', 'since', 'serves', ''], ...rows], [])}`);
  for (const warning of warnings) console.log(`\nwarning: ${warning}`);
}

function columnsOf({ role, name, startedAt, version }: Member): string[] {
  return [role, name, new Date(startedAt).toISOString(), version ?? 'nothing yet'];
}

function behindText({ behind, version }: ReplicaStatus): string {
  if (behind === null) return version === null ? '' : 'another epoch';
  return behind === 0 ? '' : `${counted(behind, 'version', 'versions')} behind`;
}
