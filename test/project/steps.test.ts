import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser } from 'acorn';
import { expect, test } from 'vitest';

/**
 * A function whose work is done in steps returns a generator, which does nothing until it is run and is true as a
 * condition. So its name ends with `InSteps`, and each call is run, or returned to a caller that runs it.
 */

interface Node {
  readonly type: string;
  readonly [key: string]: any;
}

const TypeScript = Parser.extend(tsPlugin() as never);
/** Functions of base/steps.ts, which run steps to their end. */
const runners = new Set(['runInTurns', 'runAtOnce']);

const isInSteps = (name: string | undefined) => name !== undefined && /(^i|I)nSteps$/.test(name);

/** Returns the name of a variable, parameter, property or called function. */
const nameOf = (node: Node | null | undefined): string | undefined =>
  node?.type === 'MemberExpression' ? nameOf(node.property) : node?.name;

/** Whether a function or the type of one returns `Steps`. */
const returnsSteps = (node: Node | null | undefined): boolean =>
  (node?.returnType ?? node?.typeAnnotation)?.typeAnnotation?.typeName?.name === 'Steps';

const isFunction = (type: string) =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|TSDeclareFunction)$/.test(type);

/** Returns what is wrong with the names of functions that return steps, and with their uses. */
function problemsIn(text: string): string[] {
  const problems: string[] = [];
  const report = (node: Node, problem: string) => problems.push(`${node.loc.start.line}: ${problem}`);
  /** `parents` are those of the node, the closest last. */
  const visit = (node: Node, parents: readonly Node[]) => {
    const parent = parents.at(-1);
    const isSignature = node.type === 'TSFunctionType' || node.type === 'TSMethodSignature';
    if (isFunction(node.type) || isSignature) {
      const name = nameOf(node.id ?? node.key) ?? ownerName(parents);
      if (returnsSteps(node) && !isInSteps(name))
        report(node, `${name} returns steps, so its name has to end with InSteps`);
      if (!returnsSteps(node) && isInSteps(name)) report(node, `${name} has to say that it returns Steps`);
    }
    if (node.type === 'CallExpression' && isInSteps(nameOf(node.callee)) && !isRun(node, parents)) {
      report(node, `${nameOf(node.callee)} is called and not run: use yield*, runAtOnce or runInTurns`);
    }
    const isUse = parent && node.type === 'Identifier' && isInSteps(node.name);
    if (isUse && !isNamed(node, parents)) report(node, `${node.name} is used as a value`);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'loc') continue;
      for (const one of Array.isArray(child) ? child : [child]) if (one?.type) visit(one, [...parents, node]);
    }
  };
  visit(TypeScript.parse(text, { sourceType: 'module', ecmaVersion: 'latest', locations: true }) as Node, []);
  return problems;
}

/** Returns the name to which a function without one is given. */
function ownerName(parents: readonly Node[]): string | undefined {
  const owner = parents.findLast(({ type }) => type !== 'TSTypeAnnotation');
  return nameOf(owner?.id ?? owner?.key ?? (owner?.type === 'Identifier' ? owner : owner?.left));
}

/** Returns the name of the closest of the functions. */
function nameOfFunction(parents: readonly Node[]): string | undefined {
  const index = parents.findLastIndex(({ type }) => isFunction(type));
  return index < 0 ? undefined : (nameOf(parents[index].id) ?? ownerName(parents.slice(0, index)));
}

/** Whether the steps of a call are run or handed on. */
function isRun(call: Node, parents: readonly Node[]): boolean {
  let node = call;
  for (const parent of parents.toReversed()) {
    // one of two calls is run
    if (parent.type === 'ConditionalExpression' && parent.test !== node) node = parent;
    else if (parent.type === 'YieldExpression') return parent.delegate;
    else if (parent.type === 'ReturnStatement')
      return isInSteps(nameOfFunction(parents.slice(0, parents.indexOf(parent))));
    else if (parent.type === 'ArrowFunctionExpression') {
      return parent.body === node && isInSteps(nameOfFunction(parents.slice(0, parents.indexOf(parent) + 1)));
    } else if (parent.type !== 'CallExpression') return false;
    else return parent.callee !== node && (runners.has(nameOf(parent.callee)!) || isInSteps(nameOf(parent.callee)));
  }
  return false;
}

/** Whether a name is declared, imported, called, or given to something of such a name. */
function isNamed(node: Node, parents: readonly Node[]): boolean {
  const [owner, parent] = parents.slice(-2);
  if (parent.type === 'MemberExpression' && parent.property === node) return isNamed(parent, parents.slice(0, -1));
  if (parent.type === 'CallExpression') return parent.callee === node;
  if (parent.type === 'Property') return isInSteps(nameOf(parent.key));
  if (parent.type === 'VariableDeclarator') return isInSteps(nameOf(parent.id));
  if (parent.type === 'AssignmentPattern') return isInSteps(nameOf(parent.left));
  if (parent.type === 'AssignmentExpression') return isInSteps(nameOf(parent.left));
  return (
    /^(Import|Export)|^TS|^(MethodDefinition|PropertyDefinition)$|Function/.test(parent.type) || owner === undefined
  );
}

const source = join(import.meta.dirname, '../../src');

test('functions that return steps are named so, and every call of one is run or handed on', () => {
  const problems: string[] = [];
  let files = 0;
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file === 'core/steps.ts') continue;
    const text = readFileSync(join(source, file), 'utf8');
    // parsing takes time, and most files have no steps
    if (!/InSteps\b|\bSteps</.test(text)) continue;
    files++;
    problems.push(...problemsIn(text).map((problem) => `${file}:${problem}`));
  }
  expect(problems).toEqual([]);
  expect(files).toBeGreaterThan(20);
});

test.each([
  ['a condition', 'if (checkInSteps(1)) stop();'],
  ['a value', 'const fits = checkInSteps(1);'],
  ['a step of its own', 'function* all() { yield checkInSteps(1); }'],
  ['nothing', 'checkInSteps(1);'],
  ['an argument', 'list.push(build.checkInSteps(1));'],
  ['a function that is given away', 'use(checkInSteps);'],
  ['a result of a function that does not say it', 'const check = () => checkInSteps(1);'],
  ['a returned value of a function that does not say it', 'function check() { return checkInSteps(1); }'],
  ['a name that does not say it', 'function* check(): Steps<boolean> { return true; }'],
  ['a property that does not say it', 'interface Checks { check(): Steps<boolean>; }'],
])('steps are no %s', (_, text) => {
  expect(problemsIn(text)).toHaveLength(1);
});

test.each([
  ['run at once', 'const fits = runAtOnce(checkInSteps(1));'],
  ['run in turns', 'const fits = await runInTurns(checkInSteps(1));'],
  [
    'part of other steps',
    'function* allInSteps(): Steps<void> { const fits = yield* isAll ? aInSteps() : bInSteps(); }',
  ],
  ['returned', 'const allInSteps = (): Steps<void> => this.build.checkInSteps(1);'],
  ['wrapped', 'function allInSteps(): Steps<void> { return atInSteps("place", checkInSteps(1)); }'],
])('steps are %s', (_, text) => {
  expect(problemsIn(text)).toEqual([]);
});
