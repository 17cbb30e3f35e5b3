import { Connection } from './connection.ts';

/** Times of requests, in milliseconds, and those that failed. */
export interface Traffic {
  times: number[];
  failures: string[];
}

/** A rate is kept by as many connections as it takes, up to this many. */
const mostConnections = 64;

/** What visitors ask for: half of it one of two hundred URLs, the other half a URL that nobody asked for before. */
export function urlSource(seed: number): () => string {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const shapes = [
    (n: number) => `/api/articles?filters[rating][$gte]=${(n / 1e7).toFixed(6)}&sort=publishedOn:desc`,
    (n: number) =>
      `/api/articles?filters[author][team][id][$gt]=${n % 50}&filters[id][$gt]=${n}&fields=title&populate=author`,
    (n: number) => `/api/articles?filters[slug]=nothing-${n}`,
    (n: number) => `/api/articles?sort=rating:desc&filters[id][$lt]=${n}&pagination[pageSize]=10&populate=categories`,
    (n: number) =>
      `/api/authors?filters[id][$ne]=${n}&populate[team]=true&populate[mentor]=true&pagination[pageSize]=5`,
  ];
  return () => shapes[random(shapes.length)](random(2) === 0 ? random(40) : 40 + random(40_000_000));
}

/** As many requests as so many connections can send one after the other. */
export async function flood(port: number, connections: number, seconds: number, next: () => string): Promise<Traffic> {
  const traffic: Traffic = { times: [], failures: [] };
  const until = performance.now() + seconds * 1000;
  const visit = async () => {
    const connection = new Connection(port);
    while (performance.now() < until) await timed(connection, next(), performance.now(), traffic);
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, visit));
  return traffic;
}

/**
 * So many requests a second, whether or not the server keeps up. A time counts from when a request was due, so that one
 * that has to wait for its turn counts its waiting.
 */
export async function keepRate(port: number, rate: number, seconds: number, next: () => string): Promise<Traffic> {
  const traffic: Traffic = { times: [], failures: [] };
  const idle: Connection[] = [];
  const all: Connection[] = [];
  const due: { at: number; url: string }[] = [];
  const underWay = new Set<Promise<void>>();
  const started = performance.now();
  let sent = 0;

  const serve = () => {
    while (due.length > 0) {
      const connection = idle.pop() ?? (all.length < mostConnections ? new Connection(port) : undefined);
      if (!connection) return;
      if (!all.includes(connection)) all.push(connection);
      const { at, url } = due.shift()!;
      const request = timed(connection, url, at, traffic).then(() => {
        underWay.delete(request);
        idle.push(connection);
        serve();
      });
      underWay.add(request);
    }
  };
  while (performance.now() - started < seconds * 1000) {
    const owed = Math.floor(((performance.now() - started) / 1000) * rate);
    for (; sent < owed; sent++) due.push({ at: started + (sent / rate) * 1000, url: next() });
    serve();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (underWay.size > 0 || due.length > 0) await Promise.race(underWay);
  for (const connection of all) connection.close();
  return traffic;
}

async function timed(connection: Connection, url: string, since: number, { times, failures }: Traffic): Promise<void> {
  try {
    const { status } = await connection.ask(url);
    if (status === 200) times.push(performance.now() - since);
    else failures.push(`${status} for ${url}`);
  } catch (error) {
    failures.push(`${(error as Error).message}: ${url}`);
  }
}

/** The time below which a share of all is. */
export function quantile(times: readonly number[], share: number): number {
  const ascending = [...times].sort((one, other) => one - other);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))];
}
