/** How each dialect reads queries. */
import type { Dialect } from '../base/dialect.ts';

export interface QueryFlags {
  /** A to-many relation that is populated with filters stands in `{"data": […]}`. */
  readonly wrapsFilteredRelations: boolean;
  /** Filters may lead through media to the file's attributes. */
  readonly filtersMedia: boolean;
  /**
   * `$not` around a relation to many, or a repeatable component, means that no related entry makes the filter inside
   * true. Otherwise it moves inside: some related entry is not so.
   */
  readonly negatesRelationsWhole: boolean;
  /** `status=draft` takes a permission of its own. */
  readonly guardsDrafts: boolean;
  /**
   * Filters and sorts that lead through a relation see drafts and published rows alike, whatever is asked for. Where
   * drafts are guarded this would tell of what they hold, so there a relation leads to rows of the asked status only.
   * Polymorphic relations also populate rows of every status.
   */
  readonly followsToEveryStatus: boolean;
  /**
   * How values are read, see query/bind/cast.ts. `strict`: a word that is no boolean, a page that is no whole number, and the
   * like are refused. `recorded`: as the service reads them.
   */
  readonly casts: 'strict' | 'recorded';
  /** How refusals are worded, see query/messages.ts: with place, value and what would be right, or as recorded. */
  readonly messages: 'explained' | 'recorded';
  /** A parameter, status or locale that does not exist is a 400. Otherwise it is passed over, or finds nothing. */
  readonly refusesUnknown: boolean;
  /** Of `pagination`, what is unknown or no object is passed over, and a size that is no number is the largest. */
  readonly toleratesPagination: boolean;
  /** `populate[x]=*` is `populate[x][populate]=*`. */
  readonly starPopulates: boolean;
  /** The options of a relation that the caller may not read are checked, which tells of the names in its type. */
  readonly checksUnreadableOptions: boolean;
  /** All but pages are cut by `start` and `limit` of the root, and `pagination` says nothing to them. */
  readonly pagesAtRoot: boolean;
  /** Wrong names in `filters` and `sort` are looked for, and named, as query/strapi/check-names.ts says. */
  readonly checksNamesFirst: boolean;
  /**
   * What says nothing is passed over: a sort without orders, or by the `status` of a type with drafts; in `fields` what
   * is null; in `populate` filters that are an empty text.
   */
  readonly dropsEmptyParts: boolean;
  /** In `fields`, an item of a list holds no commas, and a star has no blanks around it. */
  readonly readsFieldsStrictly: boolean;
  /** In filters and sorts `localizations` are all rows of the document, drafts and the row itself among them. */
  readonly localizationsAreVersions: boolean;
  /**
   * At the top of `filters` a `locale` takes the place of the parameter, and that of the path takes the place of a
   * `documentId`.
   */
  readonly filtersReplaceLookup: boolean;
  /** In `_q` an underscore stands for any one character. */
  readonly searchesWithWildcard: boolean;
  /** Where one entry is asked for, what query/strapi/refuse-failing.ts lists is a 400. */
  readonly refusesFailing: boolean;
  /** `_q` looks into the locale of an entry too. */
  readonly searchesLocale: boolean;
  /** `_q` looks into the documentId. Those of content of Strapi 4 are generated: nobody has seen them. */
  readonly searchesDocumentId: boolean;
  /** JSON and blocks can be compared with JSON, and operators that ignore case look into their text. */
  readonly looksIntoJson: boolean;
  /**
   * Quirks of the recorded service's SQL, kept so that its clients see no difference. Where a table is joined, the
   * columns that are sorted by are served beside the `fields` asked for.
   */
  readonly servesSortKeys: boolean;
  /**
   * A polymorphic to-one relation is null where `fields` are given: its columns are not among those read. And one that
   * is populated with options other than `on` is not served.
   */
  readonly losesPolymorphicWithFields: boolean;
  /**
   * `populate` as text is checked between its dots, commas and all: a dotted path that leads through what the caller
   * may not read is left out whole, from a comma on nothing is looked at, and below the root commas are refused.
   */
  readonly checksPopulateByDots: boolean;
  /** Keys in `populate` that are no attributes are read as query/strapi/populate-keys.ts says. Otherwise they are a 400. */
  readonly passesOverPopulateKeys: boolean;
  /**
   * A list in `populate` that is longer than `arrayLimit` is read as an object with numbers for keys, which is then
   * refused by its names. Otherwise the limit is named, as it is for every other list.
   */
  readonly numbersLongLists: boolean;
  /**
   * Content of Strapi 4: where a document is asked for by id, its status and `_q` do not count, and of `filters` and
   * `sort` only the names are checked.
   */
  readonly looksAtIdAlone: boolean;
  /**
   * Content of Strapi 4: a document has one row for each locale, so drafts are shown beside published entries. Both
   * `publicationState=preview` and `status=draft` ask for that.
   */
  readonly showsDraftsBesidePublished: boolean;
  /** Content of Strapi 4: `locale=all` asks for every locale, as `*` does. */
  readonly callsEveryLocaleAll: boolean;
  /** Content of Strapi 4: `populate` is read as query/strapi/populate-version-4.ts says. */
  readonly populatesAsVersion4: boolean;
  /** Content of Strapi 4: `pagination[limit]=-1` asks for as many entries as a page may have. */
  readonly takesMinusOneForMost: boolean;
}

/** Values for content of Strapi 5, the same in both dialects. `forVersion4` overrides them. */
const ofVersion5 = {
  looksAtIdAlone: false,
  showsDraftsBesidePublished: false,
  callsEveryLocaleAll: false,
  populatesAsVersion4: false,
  takesMinusOneForMost: false,
} as const;

const flags: Readonly<Record<Dialect['name'], QueryFlags>> = {
  document: {
    wrapsFilteredRelations: true,
    filtersMedia: false,
    negatesRelationsWhole: true,
    guardsDrafts: true,
    followsToEveryStatus: false,
    casts: 'strict',
    messages: 'explained',
    refusesUnknown: true,
    toleratesPagination: false,
    starPopulates: true,
    checksUnreadableOptions: false,
    pagesAtRoot: false,
    checksNamesFirst: false,
    dropsEmptyParts: false,
    readsFieldsStrictly: false,
    localizationsAreVersions: false,
    filtersReplaceLookup: false,
    searchesWithWildcard: false,
    refusesFailing: false,
    searchesLocale: false,
    searchesDocumentId: true,
    looksIntoJson: false,
    servesSortKeys: false,
    losesPolymorphicWithFields: false,
    checksPopulateByDots: false,
    passesOverPopulateKeys: false,
    numbersLongLists: false,
    ...ofVersion5,
  },
  strapi: {
    wrapsFilteredRelations: false,
    filtersMedia: true,
    negatesRelationsWhole: false,
    guardsDrafts: false,
    followsToEveryStatus: true,
    casts: 'recorded',
    messages: 'recorded',
    refusesUnknown: false,
    toleratesPagination: true,
    starPopulates: false,
    checksUnreadableOptions: true,
    pagesAtRoot: true,
    checksNamesFirst: true,
    dropsEmptyParts: true,
    readsFieldsStrictly: true,
    localizationsAreVersions: true,
    filtersReplaceLookup: true,
    searchesWithWildcard: true,
    refusesFailing: true,
    searchesLocale: true,
    searchesDocumentId: true,
    looksIntoJson: true,
    servesSortKeys: true,
    losesPolymorphicWithFields: true,
    checksPopulateByDots: true,
    passesOverPopulateKeys: true,
    numbersLongLists: true,
    ...ofVersion5,
  },
};

export function queryFlags({ name, contentVersion }: Dialect): QueryFlags {
  if (contentVersion === 5) return flags[name];
  const needed = {
    localizationsAreVersions: false,
    searchesDocumentId: false,
    showsDraftsBesidePublished: true,
    callsEveryLocaleAll: true,
  };
  if (name === 'document') return { ...flags[name], ...needed };
  return {
    ...flags[name],
    ...needed,
    looksAtIdAlone: true,
    filtersReplaceLookup: false,
    losesPolymorphicWithFields: false,
    readsFieldsStrictly: false,
    passesOverPopulateKeys: false,
    numbersLongLists: false,
    populatesAsVersion4: true,
    takesMinusOneForMost: true,
  };
}
