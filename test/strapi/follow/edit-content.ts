import type { Random } from '../random.ts';
import { EditRefused, type StrapiClient } from './clients.ts';
import type { Comparison, Finding } from './comparison.ts';
import { KnownDocuments } from './documents.ts';
import { drawEdit, edits } from './edits.ts';
import { awaitShown, percentile } from './freshness.ts';

interface Times {
  readonly milliseconds: number[];
  refused: number;
  /** What differed when it was given up. */
  readonly lost: object[];
}

/** Makes random edits one after the other, and waits after each until Lectern shows it. */
export async function editContent(
  comparison: Comparison,
  strapi: StrapiClient,
  random: Random,
  count: number,
): Promise<Finding> {
  const documents = await KnownDocuments.read(strapi);
  const byKind = new Map<string, Times>();
  for (let i = 0; i < count; i++) {
    const kind = drawEdit(random);
    const times = byKind.get(kind) ?? { milliseconds: [], refused: 0, lost: [] };
    byKind.set(kind, times);
    try {
      const { request, answered } = await edits[kind].edit({ strapi, random, documents });
      const { milliseconds, difference } = await awaitShown(request, answered, comparison);
      if (milliseconds === null) times.lost.push({ edit: i, ...request, ...difference });
      else times.milliseconds.push(milliseconds);
    } catch (error) {
      if (!(error instanceof EditRefused)) throw error;
      times.refused++;
    }
    if (i % 50 === 49) console.log(`${i + 1} edits`);
  }
  return describe(byKind);
}

function describe(byKind: ReadonlyMap<string, Times>): Finding {
  const all = [...byKind.values()].flatMap(({ milliseconds }) => milliseconds);
  const figuresOf = (values: readonly number[]) => ({
    shown: values.length,
    p50: Math.round(percentile(values, 0.5)),
    p99: Math.round(percentile(values, 0.99)),
    longest: Math.round(Math.max(0, ...values)),
  });
  const lost = [...byKind.values()].flatMap((times) => times.lost);
  const kinds = Object.fromEntries(
    Array.from(byKind, ([kind, { milliseconds, refused }]) => [kind, { ...figuresOf(milliseconds), refused }]),
  );
  const lines = Object.entries(kinds).map(
    ([kind, { shown, p50, p99, refused }]) =>
      `  ${kind}: ${shown} shown, p50 ${p50} ms, p99 ${p99} ms, ${refused} refused`,
  );
  const { shown, p50, p99, longest } = figuresOf(all);
  const total = `${shown} edits shown after p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms; ${lost.length} lost`;
  return {
    text: [total, ...lines, ...lost.slice(0, 10).map((one) => `  lost: ${JSON.stringify(one).slice(0, 700)}`)].join(
      '\n',
    ),
    report: { ...figuresOf(all), kinds, lost },
    failures: lost.length,
  };
}
