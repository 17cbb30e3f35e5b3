const { timingSafeEqual } = require('node:crypto');
const { sign } = require('./sender.js');

/** Of the answers. Lectern reads no others. */
const version = 1;
/** The most milliseconds between the time of a request and ours, so that nobody can repeat it later. */
const maxAge = 60_000;
/** Attributes that say which version of a document a row is. They are read whatever `privateAttributes` lists. */
const needed = ['publishedAt', 'locale'];
/** Types whose links Lectern knows from their other ends. */
const withoutLinks = ['plugin::upload.file', 'plugin::users-permissions.role'];
const tokenParts = { select: ['name', 'type', 'kind', 'accessKey', 'expiresAt'], populate: { permissions: true } };

/** Whether Lectern serves entries of a type. All other types of plugins and of the admin panel are left out. */
const isServed = (uid) =>
  /^(api::|plugin::(upload\.file|i18n\.locale|users-permissions\.(user|role|permission))$)/.test(uid);

/**
 * Returns what is read of a type: public values, components, and the ids at the other ends of links. With a status, links
 * to types with drafts lead to rows with this status only.
 */
function selectionOf(uid, status) {
  const { attributes, modelType, options } = strapi.getModel(uid);
  const listed = [strapi.config.get('api.responses.privateAttributes'), options?.privateAttributes].flat();
  const select = modelType === 'component' ? ['id'] : ['id', 'documentId'];
  const populate = {};
  for (const [name, { type, target, component, components, private: isPrivate }] of Object.entries(attributes)) {
    if (isPrivate || type === 'password' || (listed.includes(name) && !needed.includes(name))) continue;
    const isLink = name !== 'localizations' && !withoutLinks.includes(uid) && (!target || isServed(target));
    const hasDrafts = target && strapi.getModel(target).options?.draftAndPublish;
    const where = status && hasDrafts ? { publishedAt: status === 'draft' ? null : { $notNull: true } } : {};
    const zone = () => Object.fromEntries(components.map((each) => [each, selectionOf(each, status)]));
    if (type === 'component') populate[name] = selectionOf(component, status);
    else if (type === 'dynamiczone') populate[name] = { on: zone() };
    else if (type === 'media' || (type === 'relation' && isLink)) populate[name] = { select: ['id'], where };
    else if (type !== 'relation') select.push(name);
    // Strapi finds the other end of some links by two columns of the row
    const { idColumn, typeColumn } = strapi.db.metadata.get(uid).attributes[name].morphColumn ?? {};
    if (isLink && idColumn) select.push(idColumn.name, typeColumn.name);
  }
  return { select, populate };
}

/** Returns rows of a type: those with some ids, those of some documents, or the next ones after an id. */
function rowsOf({ type, status, ids, documentIds, after, limit, isShort }) {
  if (!isServed(type) || !strapi.contentTypes[type]) return [];
  const where = documentIds ? { documentId: { $in: documentIds } } : { id: ids ? { $in: ids } : { $gt: after } };
  const selection = isShort ? { select: ['id', 'documentId', 'updatedAt'] } : selectionOf(type, status);
  return strapi.db.query(type).findMany({ where, limit, orderBy: 'id', ...selection });
}

/** Returns what holds for all rows: the types, the locales, and what identifies callers. */
async function outline() {
  const all = (uid, parts) =>
    strapi.contentTypes[uid] ? strapi.db.query(uid).findMany({ orderBy: 'id', ...parts }) : [];
  const setting = (name, key) => strapi.store({ type: 'plugin', name, key }).get();
  return {
    types: Object.values({ ...strapi.contentTypes, ...strapi.components }).map(({ __schema__, ...type }) => type),
    privateAttributes: strapi.config.get('api.responses.privateAttributes', []),
    locales: await all('plugin::i18n.locale'),
    defaultLocale: await setting('i18n', 'default_locale'),
    ofUsers: await setting('users-permissions', 'advanced'),
    apiTokens: await all('admin::api-token', tokenParts),
    apiTokenSalt: strapi.config.get('admin.apiToken.salt', null),
  };
}

/** Answers a signed request with lines of JSON. The last line is a signature of the request and of the other lines. */
async function answer(context, secret, position) {
  const { query } = context.query;
  const given = Buffer.from(context.get('X-Lectern-Signature'));
  const expected = Buffer.from(sign(secret, `${query}`));
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  const asked = isSigned && JSON.parse(query);
  const isRecent = asked && Math.abs(Date.now() - asked.time) <= maxAge;
  if (!isRecent) return context.unauthorized('The signature is wrong, or was not made within a minute');
  // what is committed from now on may be missing in the lines, and comes in later posts
  const head = { version, ...position };
  const lines = asked.type === undefined ? [await outline()] : await rowsOf(asked);
  const text = [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  context.set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
  context.body = `${text}${sign(secret, `${given}\n${text}`)}\n`;
}

module.exports = { answer, isServed };
