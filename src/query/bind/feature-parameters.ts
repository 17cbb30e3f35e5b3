/** The parameters that features add to a query. */
import { ValidationError } from '../../core/errors.ts';
import type { FeatureName } from '../../model/settings/features.ts';
import type { ParameterNode } from '../syntax/parameter-nodes.ts';
import type { QueryTree } from '../syntax/query-tree.ts';
import type { BindingContext } from './context.ts';

/** Returns the parameter of a feature, or null if the feature is off or the query does not have it. */
export function featureParameter(
  { features }: Pick<BindingContext, 'features'>,
  feature: FeatureName,
  { parameters }: QueryTree,
  name: string,
): ParameterNode | null {
  if (!features.has(feature)) return null;
  const node = parameters.find(({ param }) => param === name);
  return node && node.raw !== undefined ? node : null;
}

/** Returns the error for a value of a parameter of a feature. */
export function wrongParameter(param: string, value: unknown, message: string): ValidationError {
  return new ValidationError(message, { key: param, path: null, source: 'query', param, value });
}
