/** The points on which the specification and the recorded service differ; everything else is the same in both. */
export interface Dialect {
  readonly name: 'document' | 'strapi';
  /** A to-many relation that is populated with filters stands in `{"data": […]}`. */
  readonly wrapsFilteredRelations: boolean;
  /** Filters may lead through media to the file's attributes. */
  readonly filtersMedia: boolean;
  /** `/users` answers with the envelope of every collection, not with a bare list. */
  readonly wrapsUsers: boolean;
  /** `status=draft` takes a permission of its own. */
  readonly guardsDrafts: boolean;
  /** A parameter that does not exist is a 400, not passed over. */
  readonly refusesUnknownParameters: boolean;
  /** What a caller may not read, and so is not populated, is named in a header of the reply. */
  readonly namesOmitted: boolean;
}

export const dialects: Readonly<Record<Dialect['name'], Dialect>> = {
  document: {
    name: 'document',
    wrapsFilteredRelations: true,
    filtersMedia: false,
    wrapsUsers: true,
    guardsDrafts: true,
    refusesUnknownParameters: true,
    namesOmitted: true,
  },
  strapi: {
    name: 'strapi',
    wrapsFilteredRelations: false,
    filtersMedia: true,
    wrapsUsers: false,
    guardsDrafts: false,
    refusesUnknownParameters: false,
    namesOmitted: false,
  },
};
