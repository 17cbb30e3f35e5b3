import type { z } from 'zod';
import { parseStrictJson } from '../base/strict-json.ts';
import { nearestName } from '../base/suggest.ts';

/** Settings by variables of the environment. Which variables there are is read off the schema of the settings. */

export const variablePrefix = 'LECTERN_';

/** A variable that gives one setting or, as JSON, a whole group of settings. */
export interface Variable {
  readonly name: string;
  /** Where the setting is in a config file. */
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

/** A variable that is set, with its text as a value for its setting. */
export interface GivenSetting extends Variable {
  readonly value: unknown;
}

/** Older names of the commonest settings. The LECTERN_ name of the same setting wins. */
const olderNames = new Map([
  ['PORT', 'LECTERN_PORT'],
  ['HOST', 'LECTERN_HOST'],
  ['ADMIN_PORT', 'LECTERN_ADMIN_PORT'],
  ['LOG_LEVEL', 'LECTERN_LOG_LEVEL'],
  ['JWT_SECRET', 'LECTERN_JWT_SECRET'],
]);

/** Variables that are no settings. */
const otherNames = ['LECTERN_CONFIG', 'LECTERN_DEFAULTS', 'LECTERN_COMMIT'];

/**
 * What Kubernetes sets in every container for a service called `lectern` or `lectern-…`: LECTERN_SERVICE_HOST,
 * LECTERN_PORT=tcp://10.0.0.1:1337, LECTERN_PORT_1337_TCP_ADDR and so on.
 */
const serviceName = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;
const serviceAddress = /^(tcp|udp|sctp):\/\//;

/** The variables of all settings and groups below `schema`: `budgets.steps` is LECTERN_BUDGETS_STEPS. */
export function variablesOf(schema: z.core.$ZodType, path: readonly string[] = []): Variable[] {
  const plain = unwrapped(schema);
  const own = path.length === 0 ? [] : [{ name: nameOf(path), path, schema: plain }];
  if (!isObject(plain)) return own;
  const shape = Object.entries(plain._zod.def.shape).filter(([key]) => !key.startsWith('$'));
  return [...own, ...shape.flatMap(([key, inner]) => variablesOf(inner, [...path, key]))];
}

/**
 * The settings that an environment gives, groups before what is in them. An empty variable counts as not set, since
 * that is how container files pass on a variable that they do not have. A value that does not fit its setting is
 * given as it is, for the schema to refuse. Names that begin with LECTERN_ and are no variable come with a problem.
 */
export function readVariables(
  variables: readonly Variable[],
  environment: NodeJS.ProcessEnv,
): { settings: GivenSetting[]; problems: string[] } {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const settings: GivenSetting[] = [];
  const problems: string[] = [];
  const give = (name: string, variable: Variable, text: string) => {
    try {
      settings.push({ ...variable, name, value: parseValue(variable.schema, text) });
    } catch {
      problems.push(`${name}: must be JSON: ${faultIn(text)}`);
    }
  };
  for (const [older, name] of olderNames) {
    const variable = byName.get(name);
    if (environment[older] && variable) give(older, variable, environment[older]);
  }
  const groupsFirst = (a: [string, string], b: [string, string]) => depthOf(byName, a[0]) - depthOf(byName, b[0]);
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  for (const [name, text] of set.sort(groupsFirst)) {
    if (!name.startsWith(variablePrefix) || otherNames.includes(name) || isOfService(name, text)) continue;
    const variable = byName.get(name);
    if (variable) give(name, variable, text);
    else problems.push(`${name}: no such setting${suggestion(name, [...byName.keys(), ...otherNames])}`);
  }
  return { settings, problems };
}

/** Says why a text is not JSON without quoting it. */
function faultIn(text: string): string {
  try {
    parseStrictJson(text, true);
    return 'the text is malformed';
  } catch (error) {
    return (error as Error).message;
  }
}

function depthOf(byName: Map<string, Variable>, name: string): number {
  return byName.get(name)?.path.length ?? 0;
}

function isOfService(name: string, text: string): boolean {
  return serviceName.test(name) || (name.endsWith('_PORT') && serviceAddress.test(text));
}

function suggestion(name: string, names: readonly string[]): string {
  const withoutPrefix = (text: string) => text.slice(variablePrefix.length);
  const nearest = nearestName(withoutPrefix(name), names.map(withoutPrefix));
  return nearest === null ? '' : ` (did you mean ${variablePrefix}${nearest}?)`;
}

/** `rateLimit.tokenRequests` is LECTERN_RATE_LIMIT_TOKEN_REQUESTS. */
function nameOf(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return variablePrefix + words.join('_');
}

/** A text as the value of a setting. Throws a SyntaxError where only JSON will do and it is none. */
function parseValue(schema: z.core.$ZodType, text: string): unknown {
  const { def } = unwrapped(schema)._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'number':
      return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return booleans.get(text.trim().toLowerCase()) ?? text;
    case 'array':
      if (/^\s*\[/.test(text) || !isOneWord(def.element)) return JSON.parse(text);
      return text.split(',').map((item) => parseValue(def.element, item.trim()));
    case 'object':
    case 'record':
    case 'tuple':
      return JSON.parse(text);
    case 'union':
      return ofUnion(def.options, text);
    default:
      return text;
  }
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The first value that the union takes. Text fits most easily, and is tried last. */
function ofUnion(options: readonly z.core.$ZodType[], text: string): unknown {
  const isText = (option: z.core.$ZodType) => Number(unwrapped(option)._zod.def.type === 'string');
  for (const option of [...options].sort((a, b) => isText(a) - isText(b))) {
    try {
      const value = parseValue(option, text);
      if ((option as z.ZodType).safeParse(value).success) return value;
    } catch {
      // not JSON: another option may take the text
    }
  }
  return text;
}

/** Whether a value of this kind can be an item of a list with commas. */
function isOneWord(schema: z.core.$ZodType): boolean {
  return !['array', 'object', 'record', 'tuple', 'union'].includes(unwrapped(schema)._zod.def.type);
}

/** A schema without what is around it: whether it may be left out, its default, what is done with its value. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? unwrapped(inner) : schema;
}

function isObject(schema: z.core.$ZodType): schema is z.core.$ZodObject {
  return schema._zod.def.type === 'object';
}
