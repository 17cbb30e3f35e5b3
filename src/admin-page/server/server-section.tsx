import { Isolated } from '../../explorer/controls/isolated.tsx';
import { bytesText } from '../../explorer/reply/amounts.ts';
import { Facts } from '../controls/facts.tsx';
import { Problem } from '../controls/problem.tsx';
import { cacheFigures, memoryFigures, processFigures } from '../state/figures.ts';
import type { Sample } from '../state/metrics-text.ts';
import type { ContentList } from '../state/replies.ts';
import type { Polled } from '../state/use-polled.ts';

interface ServerSectionProps {
  readonly samples: readonly Sample[];
  readonly metrics: Polled<unknown>;
  /** Null if the token may not see every content. */
  readonly list: ContentList | null;
}

/** Memory and threads of the process. */
export function ServerSection({ samples, metrics, list }: ServerSectionProps) {
  const { error } = metrics;
  const stores = list?.contents.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) ?? null;
  const caches = cacheFigures(samples);
  return (
    <section aria-labelledby="server">
      <h2 id="server">Server</h2>
      {error?.status === 404 && <p class="quiet">The setting “metrics” is off, so there are no figures.</p>}
      {error && error.status !== 404 && <Problem error={error} />}
      {samples.length > 0 && (
        <ul class="cards">
          <li class="card">
            <h3>Memory</h3>
            <Facts facts={memoryFigures(samples, stores)} />
          </li>
          <li class="card">
            <h3>Threads and requests</h3>
            <Facts facts={processFigures(samples, Date.now())} />
          </li>
          <li class="card">
            <h3>Caches</h3>
            <table class="caches">
              <thead>
                <tr>
                  <th scope="col">Cache</th>
                  <th scope="col">Memory</th>
                  <th scope="col">Hits</th>
                </tr>
              </thead>
              <tbody>
                {caches.map(({ name, bytes, hitRate }) => (
                  <tr key={name}>
                    <th scope="row">
                      <Isolated text={name} />
                    </th>
                    <td class="number">{bytesText(bytes)}</td>
                    <td class="number">{hitRate === null ? '–' : `${Math.round(hitRate * 100)} %`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </li>
        </ul>
      )}
    </section>
  );
}
