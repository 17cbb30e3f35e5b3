import type { LogicalPlan } from './logical-plan.ts';
import type { Plan } from './plan.ts';

/** A named rule that replaces a node of a plan by one that selects the same rows. */
export interface Rewrite<Node> {
  readonly name: string;
  readonly apply: (node: Node) => Node;
}

/** Applied in this order, before a plan is bound to a collection. */
export const logicalRewrites: readonly Rewrite<LogicalPlan>[] = [
  { name: 'fold constants', apply: foldConstants },
  { name: 'unwrap a single part', apply: unwrapSingle },
  { name: 'flatten nested and, or', apply: flatten },
];

/** Applied in this order to a bound plan, after it has been charged. */
export const physicalRewrites: readonly Rewrite<Plan>[] = [
  { name: 'drop a scope of all rows', apply: dropFullScope },
  { name: 'fewest rows first', apply: fewestRowsFirst },
];

/** `nothing` decides an "and", `everything` an "or". The other constant changes neither. */
export function foldConstants(plan: LogicalPlan): LogicalPlan {
  if (plan.kind !== 'and' && plan.kind !== 'or') return plan;
  const [deciding, neutral] =
    plan.kind === 'and' ? (['nothing', 'everything'] as const) : (['everything', 'nothing'] as const);
  if (plan.parts.some(({ kind }) => kind === deciding)) return { kind: deciding };
  const parts = plan.parts.some(({ kind }) => kind === neutral)
    ? plan.parts.filter(({ kind }) => kind !== neutral)
    : plan.parts;
  if (parts.length === 0) return { kind: neutral };
  return parts === plan.parts ? plan : { ...plan, parts };
}

/** The parts of an "and" in an "and", or of an "or" in an "or", become parts of the outer one. */
export function flatten(plan: LogicalPlan): LogicalPlan {
  if ((plan.kind !== 'and' && plan.kind !== 'or') || !plan.parts.some(({ kind }) => kind === plan.kind)) return plan;
  const parts = plan.parts.flatMap((part) => (part.kind === plan.kind && 'parts' in part ? part.parts : [part]));
  return { kind: plan.kind, parts };
}

/** An "and" or an "or" of one part is that part. */
export function unwrapSingle(plan: LogicalPlan): LogicalPlan {
  return (plan.kind === 'and' || plan.kind === 'or') && plan.parts.length === 1 ? plan.parts[0] : plan;
}

/** A scope that makes all rows visible selects nothing out. */
export function dropFullScope(plan: Plan): Plan {
  const { kind, collection } = plan;
  if (kind === 'visible' && plan.visible.count === collection.rowCount) {
    return { kind: 'everything', collection, estimate: collection.rowCount };
  }
  if (kind !== 'and' || !plan.parts.some((part) => part.kind === 'everything')) return plan;
  const parts = plan.parts.filter((part) => part.kind !== 'everything');
  if (parts.length === 0) return plan.parts[0];
  return parts.length === 1 ? parts[0] : { ...plan, parts };
}

/** The parts of an "and" run in ascending order of their estimates, so that the later ones test few rows. */
export function fewestRowsFirst(plan: Plan): Plan {
  if (plan.kind !== 'and') return plan;
  const { parts } = plan;
  if (parts.every(({ estimate }, i) => i === 0 || parts[i - 1].estimate <= estimate)) return plan;
  return { ...plan, parts: parts.toSorted((a, b) => a.estimate - b.estimate) };
}

/** Rewrites a plan from the leaves up: each node, once its parts are rewritten, by each rewrite in turn. */
export function rewrite<Node extends LogicalPlan | Plan>(plan: Node, rewrites: readonly Rewrite<Node>[]): Node {
  let node = plan;
  if ('parts' in node) {
    const parts = rewriteParts(node.parts as readonly Node[], rewrites);
    if (parts !== node.parts) node = { ...node, parts };
  } else if ('inner' in node) {
    const inner = rewrite(node.inner as Node, rewrites);
    if (inner !== node.inner) node = { ...node, inner };
  }
  for (const { apply } of rewrites) node = apply(node);
  return node;
}

/** Returns the same list if no part changes. */
function rewriteParts<Node extends LogicalPlan | Plan>(
  parts: readonly Node[],
  rewrites: readonly Rewrite<Node>[],
): readonly Node[] {
  let rewritten: Node[] | null = null;
  for (let i = 0; i < parts.length; i++) {
    const part = rewrite(parts[i], rewrites);
    if (part === parts[i]) continue;
    rewritten ??= parts.slice();
    rewritten[i] = part;
  }
  return rewritten ?? parts;
}
