import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Batch } from '../../../src/changes/batch/batch.ts';
import { type Content, open } from '../../../src/index.ts';
import { gazetteExport, gazetteOptions } from '../../conformance/gazette.ts';
import { sha256 } from '../../support/guide.ts';
import { askServer, closeServers, listen } from '../../support/http.ts';
import { start, stopServers } from '../../support/server.ts';
import { type Pulled, pullUrl } from './pulling.ts';

/** A Strapi whose content changes between the requests of a pull. */

afterAll(stopServers);
afterEach(closeServers);

const dish = 'api::dish.dish';
const restaurant = 'api::restaurant.restaurant';

interface Row {
  type: string;
  id: number;
  data: Record<string, unknown>;
}

const linesOf = ({ folder }: Pulled, stage: string) =>
  readFileSync(join(folder, stage, `${stage}_00001.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);

/** Returns the lines of a pull in an order that does not depend on when they were read. */
const contentOf = (pulled: Pulled) => [linesOf(pulled, 'entities').sort(), linesOf(pulled, 'links').sort()];

const rowsOf = (pulled: Pulled, uid: string): Row[] =>
  linesOf(pulled, 'entities')
    .map((line) => JSON.parse(line) as Row)
    .filter(({ type }) => type === uid);

/** Deletes a dish, adds one, renames one and gives it to other restaurants, now. */
function changeOf(dishes: Row[], restaurants: Row[], number: number): Batch {
  const now = new Date().toISOString();
  const [deleted, renamed] = [dishes[number * 2], dishes[number * 2 + 1]];
  const id = 10_000 + number;
  const dates = { createdAt: now, updatedAt: now, publishedAt: now };
  const owners = restaurants.slice(number, number + 2).map((row, i) => ({
    type: restaurant,
    id: row.id,
    position: i + 1,
    inversePosition: 100 + number,
  }));
  return {
    entities: [
      { type: dish, id: deleted.id, data: null },
      { type: dish, id: renamed.id, data: { ...renamed.data, name: `Renamed ${number}`, updatedAt: now } },
      { type: dish, id, data: { ...renamed.data, documentId: `new-dish-${number}`, name: `New ${number}`, ...dates } },
    ],
    links: [
      { type: dish, id: renamed.id, attribute: 'restaurant', targets: owners.slice(0, 1) },
      { type: dish, id, attribute: 'restaurant', targets: owners.slice(1) },
    ],
  };
}

const options = { ...gazetteOptions, tokens: [{ name: 'all', type: 'full-access' as const, sha256: sha256('all') }] };

/** Content that changes when a request with a certain number arrives. */
class ChangingStrapi {
  #content!: Content;
  #url = '';
  #count = 0;
  #changes: { at: number; batch: Batch }[] = [];

  static async start(): Promise<ChangingStrapi> {
    const strapi = new ChangingStrapi();
    strapi.#content = await open(gazetteExport, options);
    const { port } = await start({}, strapi.#content);
    const proxy = await listen(async (request, response) => {
      strapi.#count++;
      while (strapi.#changes.length > 0 && strapi.#count >= strapi.#changes[0].at) {
        strapi.#content.apply(strapi.#changes.shift()!.batch);
      }
      const headers = { authorization: request.headers.authorization! };
      const reply = await askServer(port, request.url!, { headers });
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
    strapi.#url = `http://127.0.0.1:${proxy}`;
    return strapi;
  }

  apply(batch: Batch): void {
    this.#content.apply(batch);
  }

  /** Pulls while changes are applied. Those that were not are applied at its end. */
  async pull(changes: { at: number; batch: Batch }[] = []): Promise<Pulled> {
    this.#count = 0;
    this.#changes = [...changes];
    const pulled = await pullUrl({ url: this.#url, token: 'all' });
    for (const { batch } of this.#changes) this.#content.apply(batch);
    return pulled;
  }
}

test('a pull during changes has a state between the first and the last', async () => {
  const [changing, mirror] = await Promise.all([ChangingStrapi.start(), ChangingStrapi.start()]);
  const first = await mirror.pull();
  const dishes = rowsOf(first, dish);
  const restaurants = rowsOf(first, restaurant);
  expect(dishes.length).toBeGreaterThan(20);
  let before = contentOf(first);
  for (const [number, share] of [0.3, 0.5, 0.7, 0.9].entries()) {
    const batches = [changeOf(dishes, restaurants, number), changeOf(dishes, restaurants, number + 4)];
    const states = [before];
    for (const batch of batches) {
      mirror.apply(batch);
      states.push(contentOf(await mirror.pull()));
    }
    const at = Math.round(first.requestCount * share);
    // the second change comes about when the first one is noticed
    const during = contentOf(await changing.pull(batches.map((batch, i) => ({ at: at + 20 * i, batch }))));
    const state = states.findIndex((each) => isDeepStrictEqual(each, during));
    expect(state, `changed at request ${at} of ${first.requestCount}`).toBeGreaterThanOrEqual(share <= 0.5 ? 1 : 0);
    before = states[2];
  }
}, 600_000);
