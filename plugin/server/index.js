const { Sender } = require('./sender.js');
const { answer, isServed } = require('./rows.js');

/** The actions of the database after which content differs. */
const writes = ['Create', 'CreateMany', 'Update', 'UpdateMany', 'Delete', 'DeleteMany'].map((name) => `after${name}`);

/** Returns the uid of the type that a write changes, or null if Lectern reads nothing of it. */
function typeOf({ model: { uid }, result }) {
  if (uid === 'strapi::core-store') return result?.key === 'plugin_i18n_default_locale' ? 'plugin::i18n.locale' : null;
  return isServed(uid) || uid.startsWith('admin::api-token') ? uid : null;
}

let sender = null;

/** Tells Lectern of a write when it is committed. A transaction that is rolled back tells nothing. */
async function note(event) {
  const uid = typeOf(event);
  if (uid === null) return;
  // the result of a write of several documents, or of selected attributes, does not name its document
  const ids = [event.result?.documentId, event.params?.data?.documentId];
  const tell = () => sender.add(uid, ids.find((id) => typeof id === 'string' && id !== '') ?? null);
  // joins the transaction in progress
  if (strapi.db.inTransaction()) await strapi.db.transaction(({ onCommit }) => onCommit(tell));
  else tell();
}

/** Answers the page of the admin panel: what is sent, and how fresh Lectern says that its contents are. */
async function status(context) {
  const { url } = strapi.config.get('plugin::lectern');
  const ask = async () => (await fetch(new URL('../_ready', url), { signal: AbortSignal.timeout(2000) })).json();
  const ready = sender && (await ask().catch(() => null));
  context.body = { isOn: sender !== null, waiting: sender?.pending.size, ...sender?.status, sources: ready?.sources };
}

/** Answers Lectern, which shows by a signature that it has the secret. */
const rows = (context) => sender && answer(context, strapi.config.get('plugin::lectern.secret'), sender.position);

const route = (type, path, handler, config) => ({ type, routes: [{ method: 'GET', path, handler, config }] });

module.exports = {
  config: {
    default: ({ env }) => ({ url: env('LECTERN_URL', ''), secret: env('LECTERN_SECRET', '') }),
    validator({ url, secret }) {
      if (url !== '' && !/^https?:\/\//.test(url)) throw new Error('url must be the address of the hook of Lectern');
      if (url !== '' && secret.length < 16) throw new Error('secret must have at least 16 characters');
    },
  },
  bootstrap({ strapi }) {
    const { url, secret } = strapi.config.get('plugin::lectern');
    if (url === '') return strapi.log.info('The plugin lectern has no url, so it tells nothing');
    sender = new Sender({ url, secret, log: strapi.log });
    // the document service, plugins and code of the project all write through these actions
    strapi.db.lifecycles.subscribe(Object.fromEntries(writes.map((name) => [name, note])));
    // Lectern answers the first post with reads, which need a Strapi that listens
    strapi.server.httpServer.once('listening', () => sender.start());
  },
  controllers: { lectern: { status, rows } },
  routes: {
    admin: route('admin', '/status', 'lectern.status', { policies: ['admin::isAuthenticatedAdmin'] }),
    'content-api': route('content-api', '/rows', 'lectern.rows', { auth: false }),
  },
  destroy: () => sender?.close(),
};
