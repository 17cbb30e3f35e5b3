import { Isolated } from '../controls/isolated.tsx';
import { millisecondsText } from '../reply/amounts.ts';
import { errorOf } from '../reply/api-error.ts';
import { useExplored } from '../state/explored.ts';
import { typeOf } from '../state/schema-index.ts';
import type { FetchState } from '../state/use-fetched.ts';
import { type Explanation, explanationOf, type Stage } from './explanation.ts';
import { type PlanRow, planRows, planText } from './plan-layout.ts';

/** How the server answers the query: the plan as a picture, and the time of each stage. */
export function PlanDrawer({ explained, onClose }: { readonly explained: FetchState; onClose(): void }) {
  const { schema } = useExplored();
  const { reply, failure } = explained;
  const explanation = explanationOf(reply?.value);
  const error = reply && errorOf(reply.status, reply.value);
  return (
    <section class="plan" aria-label="Plan">
      <header>
        <h2>Plan</h2>
        <button type="button" class="icon" aria-label="Close the plan" onClick={onClose}>
          ×
        </button>
      </header>
      {!schema.explain && <p class="quiet">This server does not explain queries: its setting “explain” is off.</p>}
      {error && <p>{error.message}</p>}
      {failure && <p>{failure}</p>}
      {explanation && <Explained explanation={explanation} />}
    </section>
  );
}

function Explained({ explanation: { tree, rewrites = [], page, stages } }: { readonly explanation: Explanation }) {
  const { schema } = useExplored();
  return (
    <>
      {tree && <PlanPicture rows={planRows(tree)} />}
      {tree === null && <p>Every entry of the type that the caller may see is taken.</p>}
      {tree === undefined && (
        <p class="quiet">
          {schema.hasFullAccess
            ? 'This reply has no plan.'
            : 'A plan counts rows that the caller may not see, so it needs a token with full access.'}
        </p>
      )}
      <dl class="plan-facts">
        {page && (
          <div>
            <dt>Page</dt>
            <dd>{page}</dd>
          </div>
        )}
        {rewrites.length > 0 && (
          <div>
            <dt>Rewrites</dt>
            <dd>{rewrites.join(', ')}</dd>
          </div>
        )}
      </dl>
      <Stages stages={stages} />
    </>
  );
}

function PlanPicture({ rows }: { readonly rows: readonly PlanRow[] }) {
  return (
    <section class="plan-box" tabIndex={0} aria-label="Picture of the plan">
      <table class="plan-picture">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Share of the rows</th>
            <th scope="col" class="number">
              <span class="swatch estimate" /> estimated
            </th>
            <th scope="col" class="number">
              <span class="swatch actual" /> real
            </th>
            <th scope="col" class="number">
              of
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <PlanLine key={i} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PlanLine({ row }: { readonly row: PlanRow }) {
  const { schema } = useExplored();
  const { part, lines, estimate, actual, misses } = row;
  const typeName = typeOf(schema, part.type)?.displayName ?? part.type;
  return (
    <tr>
      <th scope="row">
        <span class="plan-part">
          {lines.map((goesOn, i) => (
            <span key={i} class={i < lines.length - 1 ? (goesOn ? 'line' : 'gap') : goesOn ? 'tee' : 'corner'} />
          ))}
          <span class={part.parts.length > 1 ? 'plan-text joint' : 'plan-text'}>
            <Isolated text={planText(part)} /> <span class="quiet">{typeName}</span>
          </span>
        </span>
      </th>
      <td>
        <span class="bars" aria-hidden="true">
          <span class="estimate" style={{ width: `${estimate * 100}%` }} />
          {actual !== null && <span class="actual" style={{ width: `${actual * 100}%` }} />}
        </span>
      </td>
      <td class="number">~{part.estimate.toLocaleString('en')}</td>
      <td class="number">
        {part.actual === null ? (
          <span title="Counting would have cost too much">not counted</span>
        ) : (
          part.actual.toLocaleString('en')
        )}
        {misses !== null && (
          <span class="misses" title={`The estimate is off by a factor of ${misses}`}>
            {' '}
            {misses}×
          </span>
        )}
      </td>
      <td class="number quiet">{part.of.toLocaleString('en')}</td>
    </tr>
  );
}

function Stages({ stages }: { readonly stages: readonly Stage[] }) {
  const all = stages.reduce((sum, { microseconds }) => sum + microseconds, 0);
  return (
    <ul class="stages" aria-label="Stages">
      {stages.map(({ stage, microseconds }) => (
        <li key={stage} style={{ flexGrow: all === 0 ? 1 : microseconds / all }}>
          <span>{stage}</span> <span class="quiet">{millisecondsText(microseconds / 1000)}</span>
        </li>
      ))}
    </ul>
  );
}
