import { Isolated } from '../../explorer/controls/isolated.tsx';
import { bytesText, countText } from '../../explorer/reply/amounts.ts';
import { Facts } from '../controls/facts.tsx';
import { Opened } from '../controls/opened.tsx';
import { MissingRight } from '../controls/problem.tsx';
import type { ListedContent, Pinned, Source } from '../state/replies.ts';
import { useSession } from '../state/session.ts';
import { durationText, timeText } from '../state/times.ts';
import { Versions } from './versions.tsx';

interface ContentCardProps {
  readonly name: string;
  /** Null if the token may not list contents. */
  readonly listed: ListedContent | null;
  readonly source: Source | null;
  readonly pinned: Pinned | null;
}

/** A content that is no preview. */
export function ContentCard({ name, listed, source, pinned }: ContentCardProps) {
  const { rights } = useSession();
  return (
    <li class="card">
      <div class="card-head">
        <h3>
          <Isolated text={name} />
        </h3>
        {pinned && <span class="mark is-served">pinned</span>}
      </div>
      <Facts
        facts={[
          ...(source ? sourceFacts(source) : []),
          ...(listed ? listedFacts(listed) : []),
          ['pinned to', pinned && <code>{pinned.version}</code>],
          ['pinned since', pinned && timeText(pinned.since)],
        ]}
      />
      {rights.includes('pin') ? (
        <Opened label="Versions" of={name}>
          <Versions content={name} />
        </Opened>
      ) : (
        <MissingRight right="pin" to="see and pin versions" />
      )}
    </li>
  );
}

function sourceFacts({ source, ageSeconds, lagSeconds, isStandby }: Source) {
  return [
    ['source', <Isolated key="source" text={source} />],
    ['read', ageSeconds === null ? 'not yet' : `${durationText(ageSeconds)} ago`],
    ['shown after', lagSeconds === null ? null : durationText(lagSeconds)],
    ['kind', isStandby ? 'standby' : null],
  ] as const;
}

/** What the list of contents says of any content. */
export function listedFacts({ base, entries, bytes, age, lastUsed, lifetimeLeft, host, version }: ListedContent) {
  return [
    ['entries', entries === null ? null : countText(entries)],
    ['memory', bytes === null ? null : bytesText(bytes)],
    [base === undefined ? 'loaded' : 'put', age === null ? null : `${durationText(age)} ago`],
    ['last request', lastUsed === null ? 'none yet' : timeText(lastUsed)],
    ['ends in', lifetimeLeft === null ? null : durationText(lifetimeLeft)],
    ['host', host && <Isolated key="host" text={host} />],
    ['digest', version && <code title={version}>{version.slice(0, 12)}</code>],
  ] as const;
}
