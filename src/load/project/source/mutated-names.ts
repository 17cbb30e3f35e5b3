/** Variables of a file that are not constant. */
import { findAll, keyOf, type Node, unwrap } from './syntax.ts';

const mutatingMethods = new Set(['push', 'unshift', 'splice', 'pop', 'shift', 'sort', 'reverse', 'fill']);

const known = new WeakMap<Node, ReadonlySet<string | null>>();

/** Returns the names of variables that are mutated anywhere in a file, by their values too. */
export function mutatedNames(program: Node): ReadonlySet<string | null> {
  let names = known.get(program);
  if (!names) {
    names = new Set(findAll(program, () => true).map(mutatedName));
    known.set(program, names);
  }
  return names;
}

/** Returns the variable that a node mutates by assignment, `delete`, `Object.assign` or an array method, or null. */
function mutatedName(node: Node): string | null {
  switch (node.type) {
    case 'AssignmentExpression':
      return rootName(node.left);
    case 'UpdateExpression':
      return rootName(node.argument);
    case 'UnaryExpression':
      return node.operator === 'delete' ? rootName(node.argument) : null;
    case 'CallExpression': {
      const callee = unwrap(node.callee);
      if (callee.type !== 'MemberExpression') return null;
      const isAssign = callee.object.name === 'Object' && keyOf(callee) === 'assign';
      if (isAssign) return node.arguments.length > 0 ? rootName(node.arguments[0]) : null;
      return mutatingMethods.has(keyOf(callee) ?? '') ? rootName(callee.object) : null;
    }
    default:
      return null;
  }
}

/** Returns `a` for `a.b.c`, or null if the expression does not start with a name. */
function rootName(expression: Node): string | null {
  const node = unwrap(expression);
  if (node.type === 'MemberExpression') return rootName(node.object);
  return node.type === 'Identifier' ? node.name : null;
}
