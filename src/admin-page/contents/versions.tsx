import { countText } from '../../explorer/reply/amounts.ts';
import { AskedButton } from '../controls/asked-button.tsx';
import { Problem } from '../controls/problem.tsx';
import type { Versions as VersionList } from '../state/replies.ts';
import { addressOf, useSession } from '../state/session.ts';
import { timeText } from '../state/times.ts';
import { usePolled } from '../state/use-polled.ts';

/** The last versions of a content, one of which can be pinned. */
export function Versions({ content }: { readonly content: string }) {
  const session = useSession();
  const address = `${addressOf('_pin')}?content=${encodeURIComponent(content)}`;
  const { value, error } = usePolled<VersionList>(address, session);
  return (
    <>
      {error && <Problem error={error} />}
      {value && <VersionRows {...value} content={content} address={address} />}
    </>
  );
}

interface VersionRowsProps extends VersionList {
  readonly content: string;
  readonly address: string;
}

function VersionRows({ version: served, latest, pinnedSince, versions, content, address }: VersionRowsProps) {
  return (
    <>
      <ol class="versions">
        {versions.map(({ version, madeAt, changed }) => (
          <li key={version}>
            <div>
              <code>{version}</code> <span class="quiet">{timeText(madeAt)}</span>
              <br />
              <span class="quiet">{changed === null ? 'loaded' : changedText(changed)}</span>
              {version === latest && <span class="mark">latest</span>}
              {version === served && <span class="mark is-served">served</span>}
            </div>
            {(version !== served || pinnedSince === null) && (
              <AskedButton
                label="Pin"
                of={version}
                question={
                  <>
                    Serve <code>{version}</code> of “{content}” until further notice, whatever changes?
                  </>
                }
                method="PUT"
                address={address}
                body={{ version }}
                done={() => `${version} is served.`}
              />
            )}
          </li>
        ))}
      </ol>
      {pinnedSince !== null && (
        <AskedButton
          label="Serve the latest"
          question={
            <>
              Unpin “{content}”, and serve <code>{latest}</code>?
            </>
          }
          method="DELETE"
          address={address}
          done={() => 'The latest version is served.'}
        />
      )}
    </>
  );
}

function changedText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'entry' : 'entries'} changed`;
}
