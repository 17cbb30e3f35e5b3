import type { LogicalPlan } from './logical-plan.ts';
import type { PhysicalPlan } from './physical-plan.ts';

type AnyPlan = LogicalPlan | PhysicalPlan;

/** A named rule that replaces a node of a plan by one that selects the same rows. */
export interface Rewrite<Node> {
  /** `explain` prints it where the rule has changed the plan. */
  readonly name: string;
  /** Returns the node itself if the rule does not apply to it. */
  readonly apply: (node: Node) => Node;
}

/** Applied in this order to a logical plan. */
export const logicalRewrites: readonly Rewrite<LogicalPlan>[] = [
  { name: 'fold constants', apply: foldConstants },
  { name: 'unwrap a single part', apply: unwrapSingle },
  { name: 'flatten nested and, or', apply: flatten },
];

/** Applied in this order to a physical plan. */
export const physicalRewrites: readonly Rewrite<PhysicalPlan>[] = [
  { name: 'drop a scope of all rows', apply: dropFullScope },
  { name: 'fold constants', apply: foldConstants },
  { name: 'unwrap a single part', apply: unwrapSingle },
  { name: 'fewest rows first', apply: fewestRowsFirst },
];

/** `nothing` decides an "and", `everything` an "or". The other constant is dropped. */
function foldConstants<Node extends AnyPlan>(plan: Node): Node {
  const parts = partsOf(plan);
  if (!parts) return plan;
  const [deciding, neutral] =
    plan.kind === 'and' ? (['nothing', 'everything'] as const) : (['everything', 'nothing'] as const);
  const decides = parts.find(({ kind }) => kind === deciding);
  if (decides) return decides;
  const others = parts.filter(({ kind }) => kind !== neutral);
  if (others.length === 0) return parts[0] ?? ({ kind: neutral } as Node);
  return others.length === parts.length ? plan : { ...plan, parts: others };
}

/** The parts of an "and" in an "and", or of an "or" in an "or", become parts of the outer one. */
function flatten(plan: LogicalPlan): LogicalPlan {
  if ((plan.kind !== 'and' && plan.kind !== 'or') || !plan.parts.some(({ kind }) => kind === plan.kind)) return plan;
  const parts = plan.parts.flatMap((part) => (part.kind === plan.kind && 'parts' in part ? part.parts : [part]));
  return { kind: plan.kind, parts };
}

/** An "and" or an "or" of one part is that part. */
function unwrapSingle<Node extends AnyPlan>(plan: Node): Node {
  const parts = partsOf(plan);
  return parts?.length === 1 ? parts[0] : plan;
}

/**
 * A scope that covers all rows filters nothing. It stays in a segment with a delta, where only it knows how many rows
 * have a value.
 */
function dropFullScope(plan: PhysicalPlan): PhysicalPlan {
  const { kind, segment } = plan;
  const { rowCount, delta } = segment;
  if (kind !== 'visible' || plan.visible.count < rowCount || delta) return plan;
  return { kind: 'everything', segment, estimate: rowCount };
}

/** The parts of an "and" run in ascending order of their estimates, so that the later ones test few rows. */
function fewestRowsFirst(plan: PhysicalPlan): PhysicalPlan {
  if (plan.kind !== 'and') return plan;
  const { parts } = plan;
  if (parts.every(({ estimate }, i) => i === 0 || parts[i - 1].estimate <= estimate)) return plan;
  return { ...plan, parts: parts.toSorted((a, b) => a.estimate - b.estimate) };
}

/**
 * Rewrites children first, then applies each rewrite to the node. Adds the names of those that change it to `applied`.
 */
export function rewrite<Node extends AnyPlan>(
  plan: Node,
  rewrites: readonly Rewrite<Node>[],
  applied: Set<string>,
): Node {
  let node = plan;
  const parts = partsOf(node);
  if (parts) {
    const rewritten = rewriteParts(parts, rewrites, applied);
    if (rewritten !== parts) node = { ...node, parts: rewritten };
  } else if ('inner' in node) {
    const inner = rewrite(node.inner as Node, rewrites, applied);
    if (inner !== node.inner) node = { ...node, inner };
  }
  for (const { name, apply } of rewrites) {
    const replaced = apply(node);
    if (replaced !== node) applied.add(name);
    node = replaced;
  }
  return node;
}

/** Returns the same list if no part changes. */
function rewriteParts<Node extends AnyPlan>(
  parts: readonly Node[],
  rewrites: readonly Rewrite<Node>[],
  applied: Set<string>,
): readonly Node[] {
  let rewritten: Node[] | null = null;
  for (let i = 0; i < parts.length; i++) {
    const part = rewrite(parts[i], rewrites, applied);
    if (part === parts[i]) continue;
    rewritten ??= parts.slice();
    rewritten[i] = part;
  }
  return rewritten ?? parts;
}

/** Returns the parts of an "and" or an "or"; null for other plans. */
function partsOf<Node extends AnyPlan>(plan: Node): readonly Node[] | null {
  return 'parts' in plan ? (plan.parts as readonly Node[]) : null;
}
