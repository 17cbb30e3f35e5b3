import { dialectFor } from '../../src/core/dialect.ts';
import { RequestError } from '../../src/core/errors.ts';
import { Catalog } from '../../src/engine/catalog.ts';
import { splitQuery } from '../../src/engine/routes/routes.ts';
import { allPermissions, type Caller, type PermissionSet } from '../../src/model/access/permissions.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import type { BoundQuery } from '../../src/query/bound.ts';
import type { Store } from '../../src/store/store.ts';

/** What a URL below the prefix means to a server: the bound query, or the status of the error. */
export type Meaning =
  | { readonly status: 200; readonly query: BoundQuery; readonly omitted: readonly string[] }
  | { readonly status: number; readonly query: null };

/** Binds URLs as the server does, without reading any row. */
export interface UrlBinder {
  readonly name: string;
  bind(url: string): Meaning;
}

const versions = [
  ['document', null],
  ['strapi', null],
  ['document', '4.26.0'],
  ['strapi', '4.26.0'],
] as const;

/** Returns a binder for each dialect and version, once for a caller who may read everything and once for others. */
export function urlBinders(store: Store, hides: (action: string) => boolean): UrlBinder[] {
  const full = allPermissions();
  const some: PermissionSet = { ...full, id: 'some', allows: (action) => !hides(action) };
  return versions.flatMap(([dialect, version]) => {
    const { binder, routes } = new Catalog(store, dialectFor(dialect, version), readOptions());
    return [full, some].map((permissions) => {
      const caller: Caller = { permissions, role: 'token', userId: 1 };
      const bind = (url: string): Meaning => {
        try {
          const [path, text] = splitQuery(url);
          const route = routes.findWithQuery(path, text);
          if (!route || route.kind === 'schemas') return { status: 404, query: null };
          const bound = binder.bindQuery(route, binder.parseWithAdditions(route, text, caller), caller, 'flat');
          // only replies of the dialect `document` name what is left out
          const omitted = dialect === 'document' ? bound.template.omitted.toSorted() : [];
          return { status: 200, query: bound.query, omitted };
        } catch (error) {
          if (error instanceof RequestError) return { status: error.status, query: null };
          throw error;
        }
      };
      return { name: `${dialect} ${version ?? 5}${permissions === full ? '' : ' with few permissions'}`, bind };
    });
  });
}
