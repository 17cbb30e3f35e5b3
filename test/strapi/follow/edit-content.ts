import type { Random } from '../random.ts';
import { EditRefused, type StrapiClient } from './clients.ts';
import type { Comparison, Finding } from './comparison.ts';
import { KnownDocuments } from './documents.ts';
import { drawEdit, edits } from './edits.ts';
import { awaitShown, percentile } from './freshness.ts';
import type { FollowedSource } from './sources.ts';

interface Times {
  readonly milliseconds: number[];
  refused: number;
  /** What differed when it was given up. */
  readonly lost: object[];
}

/** What became of edits. Strapi may have refused others. */
interface EditFinding extends Finding {
  readonly shown: number;
}

/** Makes random edits one after the other, and waits after each until Lectern shows it. */
export async function editContent(
  comparison: Comparison,
  strapi: StrapiClient,
  source: FollowedSource,
  random: Random,
  count: number,
): Promise<EditFinding> {
  const { hasFiles, longest } = source;
  const documents = await KnownDocuments.read(strapi);
  const byKind = new Map<string, Times>();
  for (let i = 0; i < count; i++) {
    const kind = drawEdit(random);
    const { edit, isSilent } = edits[kind];
    const times = byKind.get(kind) ?? { milliseconds: [], refused: 0, lost: [] };
    byKind.set(kind, times);
    try {
      const { request, answered } = await edit({ strapi, random, documents, hasFiles });
      const limit = isSilent ? longest.silent : longest.told;
      const { milliseconds, difference } = await awaitShown(request, answered, comparison, limit);
      if (milliseconds === null) times.lost.push({ edit: kind, number: i, ...request, ...difference });
      else times.milliseconds.push(milliseconds);
    } catch (error) {
      if (!(error instanceof EditRefused)) throw error;
      times.refused++;
    }
    if (i % 50 === 49) console.log(`${i + 1} edits`);
  }
  return describe(byKind, source.needsWebhooks);
}

/** `isApart` counts the edits apart that Strapi sends no webhook for. */
function describe(byKind: ReadonlyMap<string, Times>, isApart: boolean): EditFinding {
  const ofKinds = (isCounted: (kind: string) => boolean) =>
    figuresOf(Array.from(byKind, ([kind, { milliseconds }]) => (isCounted(kind) ? milliseconds : [])).flat());
  const told = ofKinds((kind) => !isApart || !edits[kind].isSilent);
  const silent = isApart ? ofKinds((kind) => edits[kind].isSilent === true) : null;
  const lost = [...byKind.values()].flatMap((times) => times.lost);
  const kinds = Object.fromEntries(
    Array.from(byKind, ([kind, { milliseconds, refused }]) => [kind, { ...figuresOf(milliseconds), refused }]),
  );
  const lines = [
    `Edits shown: ${inWords(told)}; ${lost.length} lost`,
    ...(silent ? [`Edits without a webhook shown: ${inWords(silent)}`] : []),
    ...Object.entries(kinds).map(([kind, figures]) => `  ${kind}: ${inWords(figures)}, ${figures.refused} refused`),
    ...lost.slice(0, 10).map((one) => `  lost: ${JSON.stringify(one).slice(0, 700)}`),
  ];
  return {
    text: lines.join('\n'),
    report: { ...told, withoutWebhook: silent, kinds, lost },
    failures: lost.length,
    shown: told.shown + (silent?.shown ?? 0),
  };
}

/** How many edits were shown, and after how many milliseconds. */
interface Figures {
  readonly shown: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

function figuresOf(values: readonly number[]): Figures {
  return {
    shown: values.length,
    p50: Math.round(percentile(values, 0.5)),
    p99: Math.round(percentile(values, 0.99)),
    longest: Math.round(Math.max(0, ...values)),
  };
}

function inWords({ shown, p50, p99, longest }: Figures): string {
  return shown === 0 ? 'none' : `${shown} after p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`;
}
