/** Checks what the route of the plugin hands over, and to whom. */
import { createHmac } from 'node:crypto';
import { PluginInput } from '../../../src/follow/rest/plugin/plugin-input.ts';
import { PluginRoute } from '../../../src/follow/rest/plugin/plugin-route.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import type { ApiToken } from '../../../src/model/access/definitions.ts';

interface RouteChecks {
  readonly address: string;
  readonly secret: string;
  /** The last post. */
  position(): { readonly epoch: string; readonly sequence: number };
  check(name: string, found: unknown, expected: unknown): void;
}

const exhibit = 'api::exhibit.exhibit';
const user = 'plugin::users-permissions.user';

export async function checkRoute({ address, secret, position, check }: RouteChecks): Promise<void> {
  const ask = async (query: object, more: { key?: string; signature?: string } = {}) => {
    const text = JSON.stringify({ time: Date.now(), ...query });
    const signature = `sha256=${createHmac('sha256', more.key ?? secret)
      .update(text)
      .digest('hex')}`;
    const url = `${address}/api/lectern/rows?${new URLSearchParams({ query: text })}`;
    const reply = await fetch(url, { headers: { 'X-Lectern-Signature': more.signature ?? signature } });
    return { status: reply.status, text: await reply.text() };
  };
  const page = { after: 0, limit: 50 };
  for (const [name, query, more] of [
    ['without a signature', {}, { signature: '' }],
    ['with the signature of another secret', {}, { key: 'another secret of nobody' }],
    ['that was signed long ago', { time: Date.now() - 120_000 }, {}],
    ['that will be signed', { time: Date.now() + 120_000 }, {}],
  ] as const) {
    const { status, text } = await ask({ type: exhibit, ...page, ...query }, more);
    check(`the route rejects a request ${name}`, [status, text.includes('documentId')], [401, false]);
  }
  check('the route is not read without a query', (await fetch(`${address}/api/lectern/rows`)).status, 401);

  // by the code of Lectern, which checks the signature of each answer
  const client = await StrapiClient.open({ url: address });
  const route = new PluginRoute(client, secret);
  const input = new PluginInput(client, secret);
  const outline = await input.outline();
  check('the position is that of the last post', outline.position, {
    epoch: position().epoch,
    sequence: position().sequence,
  });
  const tokens = outline.access?.apiTokens ?? [];
  check('the tokens have digests of 128 digits', tokens.length > 0 && tokens.every(isDigest), true);
  let rows = 0;
  const keys = new Map<string, Set<string>>();
  for (const { type } of outline.types.readable.values()) {
    const found = new Set<string>();
    for (let after = 0, isLast = false; !isLast; ) {
      const { lines } = await route.ask({ type: type.uid, after, limit: 100 });
      for (const line of lines as { id: number }[]) {
        for (const key of Object.keys(line)) found.add(key);
        after = line.id;
      }
      rows += lines.length;
      isLast = lines.length < 100;
    }
    keys.set(type.uid, found);
  }
  check('the route has all entries', rows > 10_000, true);
  const named = (uid: string, ...names: string[]) => names.filter((name) => keys.get(uid)?.has(name));
  const secretsOfUser = ['password', 'resetPasswordToken', 'confirmationToken'];
  check('users have no secrets', named(user, ...secretsOfUser, 'email'), ['email']);
  check('entries have no passwords and no private attributes', named(exhibit, 'access', 'valuation', 'code'), ['code']);
  check('attributes that a type lists as private are left out', named('api::tag.tag', 'origin', 'label'), ['label']);
  for (const type of ['admin::user', 'admin::api-token', 'strapi::core-store', 'api::none.none']) {
    check(`the route has no rows of ${type}`, (await route.ask({ type, ...page })).lines, []);
  }
  const { lines } = await route.ask({});
  const isSecret = (key: string) => /encryptedKey|password|adminPermissions/.test(key);
  check(
    'tokens have digests only',
    Object.keys((lines[0] as { apiTokens: object[] }).apiTokens[0]).filter(isSecret),
    [],
  );
}

const isDigest = ({ name, accessKey }: ApiToken) => name === 'p' || /^[0-9a-f]{128}$/.test(accessKey);
