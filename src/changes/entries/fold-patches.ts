/** Makes one patch of two, so that they need not be kept both. */
import { isPlainObject } from '../../core/plain-object.ts';
import type { Patch, Upsert } from '../batch/json-change.ts';
import { type ComponentPatch, type NodePatch, operations } from './node-patch.ts';

/**
 * Returns one change with the effect of two of the same entry, whatever it is applied to. Returns null if there is none: the
 * operations of the later one may need the result of the earlier one.
 */
export function foldedPatch(earlier: Upsert | Patch, later: Patch): Upsert | Patch | null {
  if ('patch' in earlier) {
    const merged = mergedPatches(earlier, later);
    return merged && { ...earlier, ...later, ...merged };
  }
  const isOnlySet = operations.every((operation) => operation === 'set' || !later[operation]);
  if (!isOnlySet || later.at === undefined) return null;
  return { ...earlier, entry: { ...earlier.entry, updatedAt: later.at, ...later.set } };
}

/** Returns the operations of two patches. Null if both change an attribute in ways that cannot be joined. */
function mergedPatches(earlier: NodePatch, later: NodePatch): NodePatch | null {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) if (earlier[operation]) merged[operation] = { ...earlier[operation] };
  for (const operation of operations) {
    for (const [name, operand] of Object.entries(later[operation] ?? {})) {
      const others = operations.filter((other) => Object.hasOwn(earlier[other] ?? {}, name));
      const value = others.length === 0 ? operand : joined(operation, others, earlier, name, operand);
      if (value === undefined) return null;
      merged[operation] = { ...merged[operation], [name]: value };
    }
  }
  return merged as NodePatch;
}

/** Returns the operand of a later operation joined with the earlier operations on the attribute; undefined if it cannot be. */
function joined(
  operation: (typeof operations)[number],
  others: readonly string[],
  earlier: NodePatch,
  name: string,
  operand: unknown,
): unknown {
  if (others.length > 1 || others[0] !== operation) return undefined;
  if (operation === 'set') return operand;
  if (operation !== 'components') return undefined;
  const before = earlier.components![name];
  if (!Array.isArray(operand)) {
    return isPlainObject(before) ? (mergedPatches(before, operand as NodePatch) ?? undefined) : undefined;
  }
  return Array.isArray(before) ? mergedComponents(before as ComponentPatch[], operand as ComponentPatch[]) : undefined;
}

function mergedComponents(
  earlier: readonly ComponentPatch[],
  later: readonly ComponentPatch[],
): ComponentPatch[] | undefined {
  const merged = [...earlier];
  for (const patch of later) {
    const at = merged.findIndex(({ id, __component }) => id === patch.id && __component === patch.__component);
    // the same component may be named in two ways
    if (at < 0 && merged.some(({ id }) => id === patch.id)) return undefined;
    if (at < 0) {
      merged.push(patch);
      continue;
    }
    const both = mergedPatches(merged[at], patch);
    if (!both) return undefined;
    merged[at] = { ...merged[at], ...both };
  }
  return merged;
}
