import type { RouteDescription } from '../../description/describe-schema.ts';
import type { Route } from './routes.ts';

/** Describes what a route reads and how it replies. */
export function describeRoute(route: Route): RouteDescription {
  const { path, action } = route;
  const common = { path, action, member: null, mayBeEmpty: false } as const;
  switch (route.kind) {
    case 'list': {
      const kind = route.form === 'bare' ? 'list' : 'page';
      return { ...common, uid: route.uid, kind, member: route.member, reads: route.ignoresQuery ? 'nothing' : 'query' };
    }
    case 'entry': {
      const { uid, member, ignoresQuery, onlyPopulates, notFoundMessage } = route;
      const reads = ignoresQuery ? 'nothing' : onlyPopulates ? 'populate' : 'query';
      return { ...common, uid, kind: 'entry', member, reads, mayBeEmpty: notFoundMessage === null };
    }
    case 'me':
      return { ...common, uid: route.uid, kind: 'me', reads: 'query', mayBeEmpty: true };
    case 'document':
    case 'single':
    case 'count':
      return { ...common, uid: route.uid, kind: route.kind, reads: 'query' };
    case 'schemas': {
      const kind = route.identifier === undefined ? 'schemas' : 'schema';
      return { ...common, uid: null, kind, reads: 'nothing' };
    }
    default:
      throw new Error(`unknown route ${JSON.stringify(route satisfies never)}`);
  }
}
