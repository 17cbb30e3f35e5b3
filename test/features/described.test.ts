// The OpenAPI document names the parameters of the features that are on.
import { expect, test } from 'vitest';
import type { FeatureName } from '../../src/model/settings/features.ts';
import { openShared } from '../support/open-shared.ts';

interface Document {
  paths: Record<string, { get: { parameters: { name: string }[] } }>;
}

test('lists name the parameters that features add', async () => {
  const added = async (features: FeatureName[], path: string) => {
    const content = await openShared('data/demo', { public: true, features });
    const names = (content.openApi() as unknown as Document).paths[path].get.parameters.map(({ name }) => name);
    return names.filter((name) => ['fallbackLocale', 'language', 'folder'].includes(name));
  };
  const features: FeatureName[] = ['fallbackLocale', 'languageAware', 'fileFolders'];
  expect(await added([], '/articles')).toEqual([]);
  expect(await added(features, '/articles')).toEqual(['fallbackLocale', 'language']);
  expect(await added(features, '/upload/files')).toEqual(['fallbackLocale', 'language', 'folder']);
});
