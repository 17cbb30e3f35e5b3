/**
 * Where Lectern answers otherwise on purpose: Strapi would tell more than the caller may read, or pass over a part of
 * the query without a word. These count apart from the differences.
 */
import type { Answer, Difference } from './compare-answers.ts';
import { components } from './model/components.ts';
import { contentTypes } from './model/content-types.ts';
import type { AttributeDefinition } from './model/definitions.ts';
import type { Request } from './queries/query-context.ts';

interface Case {
  path: string;
  strapi: Answer;
  lectern: Answer;
  difference: Difference;
}

const attributes = [...components, ...contentTypes].flatMap(({ schema }) => {
  const { attributes, options } = schema as {
    attributes: Record<string, AttributeDefinition>;
    options: { privateAttributes?: string[] };
  };
  return Object.entries(attributes).map(([name, attribute]) => ({
    name,
    isPrivate:
      attribute.private === true || attribute.type === 'password' || !!options.privateAttributes?.includes(name),
    isMorphTarget: attribute.relation === 'morphOne' || attribute.relation === 'morphMany',
  }));
});
const privateNames = new Set([
  ...attributes.filter(({ isPrivate }) => isPrivate).map(({ name }) => name),
  ...[...components, ...contentTypes].flatMap(({ schema }) => {
    return (schema as { options?: { privateAttributes?: string[] } }).options?.privateAttributes ?? [];
  }),
]);
const morphTargets = attributes.filter(({ isMorphTarget }) => isMorphTarget).map(({ name }) => name);

const isRefusedBy = ({ status, body }: Answer, param: string): boolean => {
  const { details } = (body as { error?: { details?: { param?: string } } })?.error ?? {};
  return status === 400 && details?.param === param;
};

const deviations: Record<string, (found: Case) => boolean> = {
  'Strapi leaves a name of the object prototype out of the query': ({ path, lectern }) =>
    lectern.status === 400 && /\b(__proto__|constructor|toString)\b/.test(path),
  'Strapi filters or sorts what is populated by what the caller may not read': ({ path, strapi, lectern }) =>
    strapi.status < 500 && isRefusedBy(lectern, 'populate') && /\[(filters|sort)\]/.test(path),
  'Strapi leaves out a condition whose operand is an object': ({ strapi, lectern }) =>
    strapi.status === 200 && lectern.status === 400 && JSON.stringify(lectern.body).includes('expected a single value'),
  'Strapi leaves out a list of operands that is an object': ({ path, strapi, lectern }) =>
    strapi.status === 200 && lectern.status === 200 && /\[\$(in|notIn)\]\[[a-z]/.test(path),
  'Lectern does not know the actions of Strapi': ({ path, difference }) =>
    path.startsWith('/api/users-permissions/roles/') && difference.where === '$.role.permissions',
  'Strapi leaves a wrong name behind a polymorphic relation out of the query': ({ path, strapi, lectern }) =>
    strapi.status < 500 &&
    (isRefusedBy(lectern, 'filters') || isRefusedBy(lectern, 'sort')) &&
    morphTargets.some((name) => path.includes(`[${name}][`) || path.includes(`${name}.`)),
  'Strapi serves private values behind a polymorphic relation': ({ strapi, lectern, difference }) =>
    strapi.status === 200 &&
    lectern.status === 200 &&
    difference.found === undefined &&
    privateNames.has(difference.where.split('.').at(-1)!),
  'Strapi searches private values': ({ path, strapi, lectern }) =>
    /^\/api\/(exhibits|tags)\?.*\b_q=/.test(path) &&
    (path.includes('[withCount]=false') || totalOf(strapi) > totalOf(lectern)),
  'Strapi counts joined rows in place of entries': ({ path, difference: { where, expected, found } }) =>
    path.includes('[count]') && where.endsWith('.count') && Number(expected) > Number(found),
};

/** How many entries match, or 0 where the reply does not say. */
function totalOf({ body }: Answer): number {
  return (body as { meta?: { pagination?: { total?: number } } })?.meta?.pagination?.total ?? 0;
}

/** What a difference is called if it is meant; null if it is not. */
export function deviationOf(request: Request, strapi: Answer, lectern: Answer, difference: Difference): string | null {
  const found = { path: decodeURIComponent(request.path.replaceAll('+', ' ')), strapi, lectern, difference };
  return Object.entries(deviations).find(([, applies]) => applies(found))?.[0] ?? null;
}
