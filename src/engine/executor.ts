import { CostBudget } from '../core/cost-budget.ts';
import type { Dialect } from '../core/dialect.ts';
import { NotFoundError } from '../core/errors.ts';
import { toBitSet, toRowList } from '../core/sets/row-set.ts';
import { userType } from '../model/schema/schema.ts';
import { type QueryBudgets, tooManyPopulated } from '../query/bind/context.ts';
import type { BoundQuery, Condition } from '../query/bound.ts';
import type { RequestView } from '../query/plan/request-view.ts';
import { type QueryTags, queryTags, type TagContext } from '../query/query-tags.ts';
import { collectTags } from '../query/reply/collect-tags.ts';
import { compileProjection, sharedParts } from '../query/reply/compile-projection.ts';
import { type DelimiterCache, entryDelimiters, listDelimiters } from '../query/reply/delimiters.ts';
import { entrySuffix, writeEnvelope, writeMember, writePageMeta } from '../query/reply/envelope.ts';
import { cutAt, fitsIn, isOverBudget, withFittingDepth } from '../query/reply/fitting-depth.ts';
import { JsonWriter } from '../query/reply/json-writer.ts';
import type { EntryProjection } from '../query/reply/projection.ts';
import type { Budgets } from '../query/reply/reply-budget.ts';
import { estimateSize } from '../query/reply/size-estimate.ts';
import { writeEntries, writeEntry } from '../query/reply/write-entries.ts';
import { countFacet, type FacetCounts } from '../query/run/count-facets.ts';
import { scopeOf } from '../query/visible/scope.ts';
import type { Collection } from '../store/collection.ts';
import { type Store, segmentOf } from '../store/store.ts';
import { attributeTag, rowsTag, type Tag, typeTag } from '../store/tags/tags.ts';
import type { BoundRequest } from './bound-request.ts';
import { CompiledQuery } from './compiled-queries.ts';
import { equals, type RowFinder } from './find-rows.ts';
import type { QueryRoute } from './routes/routes.ts';
import type { Trace } from './trace.ts';

/** A reply with more tags than this has those of its types instead. */
const maximumTags = 2_000;

type ExecutorBudgets = Budgets & Pick<QueryBudgets, 'populate'>;

/** The rows of a page, and the number of rows on all pages. */
interface Found {
  readonly page: Uint32Array;
  readonly total: number;
}

type Facets = readonly (readonly [string, FacetCounts])[];

/** Executes bound queries: finds the page, compiles the projection, writes the reply. */
export class Executor {
  readonly #store: Store;
  readonly #dialect: Dialect;
  readonly #delimiters: DelimiterCache;
  readonly #rows: RowFinder;
  readonly #writer: JsonWriter;
  readonly #budgets: ExecutorBudgets;

  constructor(store: Store, dialect: Dialect, delimiters: DelimiterCache, rows: RowFinder, budgets: ExecutorBudgets) {
    this.#budgets = budgets;
    this.#store = store;
    this.#dialect = dialect;
    this.#delimiters = delimiters;
    this.#rows = rows;
    this.#writer = new JsonWriter(budgets);
  }

  /**
   * Returns the response body, or null if the route sends no content for a missing entry. Throws if a budget is
   * exceeded or the entry is missing. Reports the plan and each stage to `trace`, and adds to `tags` what the reply
   * depends on.
   */
  execute(request: BoundRequest, compiled: CompiledQuery, trace?: Trace, tags?: Set<Tag>): Buffer | null {
    const { query, template } = request;
    const { route } = template;
    const segment = segmentOf(this.#store, query.type);
    const { collection } = segment;
    const view = this.#rows.view(query);
    trace?.charges(view.budget);
    const writer = this.#writer;
    writer.start(view.budget, compiled.sizeHint);
    const queried = tags ? this.#addQueryTags(request, tags) : null;
    if (route.kind === 'count') {
      writer.number(this.#rows.count(view, segment, request, trace));
      const count = writer.finish();
      trace?.mark('write');
      return count;
    }
    const found = this.#rows.page(view, segment, request, trace);
    const { page, matches } = found;
    trace?.mark('page');
    const facets = query.facets?.map(({ name, path }) => {
      return [name, countFacet(view, segment, path, toRowList(matches!.rows))] as const;
    });
    if (facets) trace?.mark('facets');
    const stepsLeft = view.budget.remaining;
    try {
      if (query.deep && query.deep.boundDepth < query.deep.depth) throw tooManyPopulated(this.#budgets.populate);
      const projection = compiled.projection ?? this.#compile(view, collection, request, compiled, page);
      trace?.mark('project');
      if (queried && !collectTags(projection, page, tags!, maximumTags)) {
        this.#replaceByTypeTags(queried.rows, template.countsUsers, tags!);
      }
      if (route.kind === 'list' || page.length > 0) this.#write(request, collection, projection, found, facets);
      else if (sendsNoContent(route)) return null;
      else throw new NotFoundError(route.kind === 'entry' ? route.notFoundMessage! : undefined);
    } catch (error) {
      if (!query.deep || !isOverBudget(error)) throw error;
      throw withFittingDepth(error, this.#fittingDepth(view, collection, request, found, facets, stepsLeft));
    }
    const body = writer.finish();
    compiled.sizeHint = body.length;
    trace?.mark('write');
    return body;
  }

  /** Writes the entries of the page, and what is around them. */
  #write(
    request: BoundRequest,
    collection: Collection,
    projection: EntryProjection,
    found: Found,
    facets?: Facets,
  ): void {
    const writer = this.#writer;
    const { page } = found;
    const suffix = this.#suffix(collection, request);
    const isList = request.template.route.kind === 'list';
    this.#writeAround(request, found.total, facets, () => {
      writer.setEstimate((maxCost) => estimateSize(projection, page, maxCost));
      if (isList) writeEntries(writer, projection, page, suffix);
      else writeEntry(writer, projection, page[0], suffix?.(page[0]));
    });
  }

  #writeAround(
    { query, template: { route } }: BoundRequest,
    total: number,
    facets: Facets | undefined,
    writeData: () => void,
  ): void {
    const writer = this.#writer;
    if (route.kind === 'single' || route.kind === 'document') return writeEnvelope(writer, writeData);
    if (route.kind === 'entry') return writeMember(writer, route.member, writeData);
    if (route.kind !== 'list') return writeMember(writer, null, writeData);
    if (route.form === 'bare') return writeMember(writer, route.member, writeData);
    const counted = query.page.withCount ? total : null;
    const writeMeta = route.form === 'page' ? () => writePageMeta(writer, query.page, counted, facets) : undefined;
    writeEnvelope(writer, writeData, writeMeta);
  }

  /**
   * Returns the greatest depth at which the reply to a deep populate fits, less than the one that it has; 0 if there is
   * none. `steps` are left of the cost budget.
   */
  #fittingDepth(
    view: RequestView,
    collection: Collection,
    request: BoundRequest,
    found: Found,
    facets: Facets | undefined,
    steps: number,
  ): number {
    const { query, template } = request;
    const { depth, boundDepth } = query.deep!;
    const { nodes, bytes } = this.#budgets;
    const around = new CostBudget(Number.POSITIVE_INFINITY);
    this.#writer.start(around);
    this.#writeAround(request, found.total, facets, () => {});
    const { length } = this.#writer.finish();
    const delimiters = template.route.kind === 'list' ? listDelimiters : entryDelimiters;
    const suffix = this.#suffix(collection, request);
    const most = Math.min(boundDepth, depth - 1);
    for (let level = 1; level <= most; level++) {
      const budget = new CostBudget(Number.POSITIVE_INFINITY);
      const cut = { ...request, query: { ...query, selection: cutAt(query.selection, level) } };
      const projection = this.#compile({ ...view, budget }, collection, cut, new CompiledQuery(), found.page);
      const room = { nodes, bytes: bytes - length, cost: steps - around.charged - budget.charged };
      if (!fitsIn(room, projection, found.page, delimiters, suffix)) return level - 1;
    }
    return most;
  }

  #suffix(collection: Collection, { template: { route, countsUsers } }: BoundRequest) {
    return entrySuffix(
      this.#store,
      collection,
      route.kind === 'list' && countsUsers,
      this.#dialect.reply.emitsSignedUrlFlag,
    );
  }

  /** Adds the tags of what decides which rows are shown. */
  #addQueryTags({ query, key, template }: BoundRequest, tags: Set<Tag>): QueryTags {
    const found = queryTags(this.#tagContext(query), query, key && equals(key));
    for (const tag of found.tags) tags.add(tag);
    if (template.countsUsers) tags.add(rowsTag(userType)).add(attributeTag(userType, 'role'));
    return found;
  }

  #tagContext({ status }: BoundQuery): TagContext {
    const store = this.#store;
    const linkedStatus = this.#dialect.scope.linkedStatus(status);
    return { schema: store.schema, linkedStatus, hasDrafts: (uid) => segmentOf(store, uid).published !== null };
  }

  /** A reply that shows too many rows depends on everything in their types. */
  #replaceByTypeTags(rows: QueryTags['rows'], countsUsers: boolean, tags: Set<Tag>): void {
    tags.clear();
    for (const uid of rows) tags.add(typeTag(uid));
    if (countsUsers) tags.add(typeTag(userType));
  }

  /** Compiles the projection, and keeps what is the same for every request of the template. */
  #compile(
    view: RequestView,
    collection: Collection,
    { query, template }: BoundRequest,
    compiled: CompiledQuery,
    page: Uint32Array,
  ): EntryProjection {
    // links decide which related rows are served, whatever their locale
    const scope = { ...scopeOf(query), locale: null };
    const rows = this.#rows;
    const { segments } = this.#store;
    const context = {
      view,
      visible: (target: Collection, everyStatus: boolean, everyLocale: boolean) => {
        const segment = segments[target.number];
        if (everyStatus || !target.published) return segment.live;
        return rows.visible(segment, everyLocale && query.locales ? { ...scope, locales: undefined } : scope).rows;
      },
      rowsWhere: (target: Collection, condition: Condition, everyStatus: boolean, everyLocale: boolean) => {
        const segment = segments[target.number];
        let targetScope = everyStatus ? { ...scope, status: null } : scope;
        // with fallbacks, links lead to versions of the query's status, but localizations to those of every locale
        if (query.locales) targetScope = everyLocale ? { ...scope, locales: undefined } : scope;
        return toBitSet(rows.filter(view, segment, targetScope, [condition]).rows, segment.rowCount);
      },
      delimiters: this.#delimiters,
      emitsNullLocale: this.#dialect.reply.emitsNullLocale,
      isBelowPolymorphic: false,
      wrapsAttributes: template.format === 'nested' && collection.type.uid.startsWith('api::'),
    };
    const pageRows = template.hidesLocalizations ? page : null;
    const projection = compileProjection(context, collection, query.selection, pageRows, compiled.parts ?? undefined);
    // row sets by publication and links to shown versions belong to a cache: a kept projection would hold them after
    // their eviction
    if (query.publication !== null || query.locales) return projection;
    compiled.parts ??= sharedParts(query.selection, projection, pageRows);
    if (!compiled.parts.includes(undefined)) compiled.projection = projection;
    return projection;
  }
}

/** Returns whether the reply for a missing entry is a 204. */
function sendsNoContent(route: QueryRoute): boolean {
  return route.kind === 'me' || (route.kind === 'entry' && route.notFoundMessage === null);
}
