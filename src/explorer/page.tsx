import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SchemaReply } from '../description/schema-reply.ts';
import { AccessBar } from './controls/access-bar.tsx';
import { chipAt } from './filters/new-filters.ts';
import { isComplete } from './filters/operator-words.ts';
import { addFilter } from './query/edit.ts';
import { parseUrl } from './query/parse-url.ts';
import { printUrl } from './query/print-url.ts';
import { errorOf } from './reply/api-error.ts';
import { Screen } from './screen.tsx';
import { type Explored, ExploredContext, type ExploredSchema, type FilterDraft } from './state/explored.ts';
import type { Credentials } from './state/fetched.ts';
import { type PageState, urlBelowPrefix } from './state/page-state.ts';
import { listedTypes, routeOf, typeOf } from './state/schema-index.ts';
import { useFetched } from './state/use-fetched.ts';
import { usePageState } from './state/use-page-state.ts';

/** `/blue/_explorer` is the page of the content at `/blue`. */
const base = location.pathname.replace(/\/_explorer\/?$/, '');

/** The whole page. */
export function Page() {
  const [credentials, setCredentials] = useState<Credentials>({ token: '', role: '' });
  const { reply, failure } = useFetched(`${base}/_schema.json`, credentials);
  const schema = useMemo(() => (reply?.status === 200 ? { ...(reply.value as SchemaReply), base } : null), [reply]);
  const message =
    failure ??
    (reply && !schema ? (errorOf(reply.status, reply.value)?.message ?? 'The reply is no description.') : null);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main textarea')?.focus()}>
        Skip to the query
      </button>
      <header class="top">
        <h1>
          Lectern <span>explorer{schema?.name ? ` · ${schema.name}` : ''}</span>
        </h1>
        <AccessBar credentials={credentials} roles={schema?.roles ?? []} onChange={setCredentials} />
      </header>
      {message && (
        <main class="message">
          <p role="alert">The content cannot be described. {message}</p>
        </main>
      )}
      {schema && <SchemaPage schema={schema} credentials={credentials} />}
    </>
  );
}

interface SchemaPageProps {
  readonly schema: ExploredSchema;
  readonly credentials: Credentials;
}

function SchemaPage({ schema, credentials }: SchemaPageProps) {
  const [state, setState] = usePageState();
  const [begun, setDraft] = useState<FilterDraft | null>(null);
  const first = listedTypes(schema)[0]?.route ?? '';
  const urlOf = ({ target }: PageState) => (target === '' ? first : urlBelowPrefix(target, schema.base, schema.prefix));
  const url = urlOf(state);
  const query = useMemo(() => parseUrl(url), [url]);
  const route = routeOf(schema, query.path);
  const type = route && typeOf(schema, route.uid);
  const title = type?.displayName ?? query.path;
  useEffect(() => {
    document.title = `${title} · Explorer · Lectern`;
  }, [title]);
  if (url === '') {
    return (
      <main class="message">
        <p>Nothing is readable without a token: the role “public” has no permission to find.</p>
      </main>
    );
  }
  const open: Explored['open'] = (next) => {
    setState(() => ({ target: `${schema.prefix}/${next}` }));
  };
  const edit: Explored['edit'] = (change, mode) => {
    setState((before) => ({ target: `${schema.prefix}/${printUrl(change(parseUrl(urlOf(before))))}` }), mode);
  };
  const explored: Explored = {
    schema,
    credentials,
    query,
    url,
    route,
    type,
    isList: route?.kind === 'page' || (route?.kind === 'list' && route.reads === 'query'),
    edit,
    open,
    draft: begun?.list === query.path ? begun : null,
    setDraft,
    beginFilter: (path, group) => {
      const chip = type && chipAt(schema, type, path, null);
      if (chip && isComplete(chip) && group === undefined) edit((before) => addFilter(before, chip));
      else setDraft(chip && { list: query.path, chip, group, focus: performance.now() });
    },
  };
  return (
    <ExploredContext.Provider value={explored}>
      <Screen state={state} onChange={(changes) => setState(() => changes)} />
    </ExploredContext.Provider>
  );
}
