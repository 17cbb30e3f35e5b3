import { useMemo, useState } from 'preact/hooks';
import { AccessBar } from '../explorer/controls/access-bar.tsx';
import { Isolated } from '../explorer/controls/isolated.tsx';
import { ContentsSection } from './contents/contents-section.tsx';
import { PreviewsSection } from './contents/previews-section.tsx';
import { Problem } from './controls/problem.tsx';
import { NoticeList } from './server/notice-list.tsx';
import { ServerSection } from './server/server-section.tsx';
import { parseMetrics } from './state/metrics-text.ts';
import { noticesOf } from './state/notices.ts';
import type { ContentList, Readiness, Status } from './state/replies.ts';
import { addressOf, readsPreviews, type Session, SessionContext, unreachable } from './state/session.ts';
import { usePolled, useTicks } from './state/use-polled.ts';

/** The whole page. The token stays in its memory. */
export function Page() {
  const [token, setToken] = useState('');
  return (
    <>
      <header class="top">
        <h1>
          Lectern <span>admin</span>
        </h1>
        <AccessBar
          credentials={{ token, role: '' }}
          roles={[]}
          placeholder="of admin.tokens"
          onChange={(credentials) => setToken(credentials.token)}
        />
      </header>
      {token === '' ? (
        <main class="message">
          <p>
            Enter a token of the setting <code>admin.tokens</code>. It stays in the memory of this page, until you close
            or reload it.
          </p>
        </main>
      ) : (
        <Signed key={token} token={token} />
      )}
    </>
  );
}

/** What a token may see. */
function Signed({ token }: { readonly token: string }) {
  const ticks = useTicks();
  const asked: Session = { token, rights: [], ...ticks };
  const { value: status, error, failure, reply } = usePolled<Status>(addressOf('_status'), asked);
  const time = useMemo(() => reply && new Date().toLocaleTimeString('en-GB'), [reply]);
  if (!status) {
    const problem = failure === null ? error : unreachable(failure);
    return <main class="message">{problem ? <Problem error={problem} /> : <p class="quiet">Loading…</p>}</main>;
  }
  const { name, rights } = status.token;
  return (
    <SessionContext.Provider value={{ ...asked, rights }}>
      <main>
        <div class="bar state">
          <p>
            Token “<Isolated text={name} />” <span class="quiet">may: {rights.join(', ')}</span>
          </p>
          <button type="button" onClick={ticks.refresh}>
            Refresh
          </button>
          <span class="quiet number">{time}</span>
        </div>
        {failure !== null && <Problem error={unreachable(failure)} />}
        <Sections status={status} session={{ ...asked, rights }} />
      </main>
    </SessionContext.Provider>
  );
}

function Sections({ status, session }: { readonly status: Status; readonly session: Session }) {
  const ready = usePolled<Readiness>(addressOf('_ready'), session);
  const metrics = usePolled<unknown>(addressOf('_metrics'), session);
  const list = usePolled<ContentList>(readsPreviews(session.rights) ? addressOf('_contents') : null, session);
  const samples = metrics.error ? [] : parseMetrics(metrics.reply?.text ?? '');
  const notices = noticesOf({
    status,
    readiness: ready.value,
    unready: ready.error?.message ?? null,
    contents: list.value?.contents ?? [],
    metrics: samples,
  });
  return (
    <>
      <NoticeList notices={notices} showsContent={status.contents.every(({ warnings }) => warnings)} />
      <ContentsSection status={status} list={list} readiness={ready.value} />
      <PreviewsSection list={list} />
      <ServerSection
        samples={samples}
        metrics={metrics}
        list={session.rights.includes('contents') ? list.value : null}
      />
    </>
  );
}
