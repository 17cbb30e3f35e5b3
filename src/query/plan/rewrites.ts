import type { Plan } from './plan.ts';

/** A named rule that replaces a node of a plan by one that selects the same rows. */
interface Rewrite {
  /** `explain` prints it where the rule has changed the plan. */
  readonly name: string;
  /** Returns the node itself if the rule does not apply to it. */
  readonly apply: (plan: Plan) => Plan;
}

/** Applied in this order to each node. */
export const rewrites: readonly Rewrite[] = [
  { name: 'drop a scope of all rows', apply: dropFullScope },
  { name: 'fold constants', apply: foldConstants },
  { name: 'unwrap a single part', apply: unwrapSingle },
  { name: 'flatten nested and, or', apply: flatten },
  { name: 'fewest rows first', apply: fewestRowsFirst },
];

/** `nothing` decides an "and", `everything` an "or". The other constant is dropped. */
function foldConstants(plan: Plan): Plan {
  if ((plan.kind !== 'and' && plan.kind !== 'or') || !plan.parts.some(isConstant)) return plan;
  const { parts } = plan;
  const [deciding, neutral] =
    plan.kind === 'and' ? (['nothing', 'everything'] as const) : (['everything', 'nothing'] as const);
  const decides = parts.find(({ kind }) => kind === deciding);
  if (decides) return decides;
  const others = parts.filter(({ kind }) => kind !== neutral);
  return others.length === 0 ? parts[0] : { ...plan, parts: others };
}

function isConstant({ kind }: Plan): boolean {
  return kind === 'nothing' || kind === 'everything';
}

/** The parts of an "and" in an "and", or of an "or" in an "or", become parts of the outer one. */
function flatten(plan: Plan): Plan {
  if ((plan.kind !== 'and' && plan.kind !== 'or') || !plan.parts.some(({ kind }) => kind === plan.kind)) return plan;
  // a loop: with flatMap, this takes 2 % of a query that finds a page of 25 in 90 µs
  const parts: Plan[] = [];
  for (const part of plan.parts) {
    if (part.kind === plan.kind && 'parts' in part) parts.push(...part.parts);
    else parts.push(part);
  }
  return { ...plan, parts };
}

/** An "and" or an "or" of one part is that part. */
function unwrapSingle(plan: Plan): Plan {
  return (plan.kind === 'and' || plan.kind === 'or') && plan.parts.length === 1 ? plan.parts[0] : plan;
}

/**
 * A scope that covers all rows filters nothing. It stays in a segment with a delta, where only it knows how many rows
 * have a value.
 */
function dropFullScope(plan: Plan): Plan {
  const { kind, segment } = plan;
  const { rowCount, delta } = segment;
  if (kind !== 'visible' || plan.visible.count < rowCount || delta) return plan;
  return { kind: 'everything', segment, estimate: rowCount };
}

/** The parts of an "and" run in ascending order of their estimates, so that the later ones test few rows. */
function fewestRowsFirst(plan: Plan): Plan {
  if (plan.kind !== 'and') return plan;
  const { parts } = plan;
  if (parts.every(({ estimate }, i) => i === 0 || parts[i - 1].estimate <= estimate)) return plan;
  return { ...plan, parts: parts.toSorted((a, b) => a.estimate - b.estimate) };
}

/**
 * Rewrites children first, then applies each rewrite to the node. Adds the names of those that change it to `applied`,
 * each once.
 */
export function rewrite(plan: Plan, rewrites: readonly Rewrite[], applied: string[]): Plan {
  let node = plan;
  switch (node.kind) {
    case 'values':
      // no rule replaces a comparison
      return node;
    case 'and':
    case 'or': {
      const parts = rewriteParts(node.parts, rewrites, applied);
      if (parts !== node.parts) node = { ...node, parts };
      break;
    }
    case 'semiJoin':
    case 'antiJoin': {
      const inner = rewrite(node.inner, rewrites, applied);
      if (inner !== node.inner) node = { ...node, inner };
      break;
    }
  }
  for (const { name, apply } of rewrites) {
    const replaced = apply(node);
    if (replaced !== node && !applied.includes(name)) applied.push(name);
    node = replaced;
  }
  return node;
}

/** Returns the same list if no part changes. */
function rewriteParts(parts: readonly Plan[], rewrites: readonly Rewrite[], applied: string[]): readonly Plan[] {
  let rewritten: Plan[] | null = null;
  for (let i = 0; i < parts.length; i++) {
    const part = rewrite(parts[i], rewrites, applied);
    if (part === parts[i]) continue;
    rewritten ??= parts.slice();
    rewritten[i] = part;
  }
  return rewritten ?? parts;
}
