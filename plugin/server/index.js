const { Sender } = require('./sender.js');

/** Plugins' types whose entries Lectern serves. All others of plugins and of the admin panel are left out. */
const pluginTypes = new Set([
  'plugin::upload.file',
  'plugin::i18n.locale',
  'plugin::users-permissions.user',
  'plugin::users-permissions.role',
  'plugin::users-permissions.permission',
]);
const isServed = (uid) => uid.startsWith('api::') || pluginTypes.has(uid);

/** The actions of the database after which content differs. */
const writes = ['Create', 'CreateMany', 'Update', 'UpdateMany', 'Delete', 'DeleteMany'].map((name) => `after${name}`);

/** Calls a function when what is written now is committed. A transaction that is rolled back calls nothing. */
async function afterCommit(db, call) {
  if (!db.inTransaction()) return call();
  // joins the transaction in progress
  await db.transaction(({ onCommit }) => onCommit(call));
}

/** Returns the id of the document that was written, or null for several and for a result without it. */
function documentIdOf({ params, result }) {
  const ids = [result?.documentId, params?.data?.documentId];
  return ids.find((id) => typeof id === 'string' && id !== '') ?? null;
}

/** Returns the uid of the type that a write changes, or null if Lectern serves nothing of it. */
function typeOf({ model: { uid }, result }) {
  if (uid === 'strapi::core-store') return result?.key === 'plugin_i18n_default_locale' ? 'plugin::i18n.locale' : null;
  return isServed(uid) ? uid : null;
}

let sender = null;

const config = { policies: ['admin::isAuthenticatedAdmin'] };
const statusRoute = { method: 'GET', path: '/status', handler: 'status.find', config };

/** Answers the page of the admin panel: what is sent, and how fresh Lectern says that its contents are. */
async function find(context) {
  const { url } = strapi.config.get('plugin::lectern');
  const ask = async () => (await fetch(new URL('../_ready', url), { signal: AbortSignal.timeout(2000) })).json();
  const ready = sender && (await ask().catch(() => null));
  context.body = { isOn: sender !== null, ...sender?.status, sources: ready?.sources ?? [] };
}

module.exports = {
  config: {
    default: ({ env }) => ({ url: env('LECTERN_URL', ''), secret: env('LECTERN_SECRET', '') }),
    validator({ url, secret }) {
      if (url === '') return;
      if (!/^https?:\/\//.test(url)) throw new Error('url must be the address of the hook of Lectern');
      if (secret.length < 16) throw new Error('secret must have at least 16 characters');
    },
  },

  bootstrap({ strapi }) {
    const { url, secret } = strapi.config.get('plugin::lectern');
    if (url === '') return strapi.log.info('The plugin lectern has no url, so it tells nothing');
    const told = (sender = new Sender({ url, secret, log: strapi.log }));
    // the document service, plugins and code of the project all write through these actions
    const note = (event) => {
      const uid = typeOf(event);
      if (uid !== null) return afterCommit(strapi.db, () => told.add(uid, documentIdOf(event)));
    };
    strapi.db.lifecycles.subscribe(Object.fromEntries(writes.map((name) => [name, note])));
    // Lectern answers the first post with reads, which need a Strapi that listens
    strapi.server.httpServer.once('listening', () => told.start());
  },

  controllers: { status: { find } },

  routes: { admin: { type: 'admin', routes: [statusRoute] } },

  destroy() {
    sender?.close();
  },
};
