import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readSignInSecrets } from '../../src/load/project/project-settings.ts';
import { temporaryFolder } from '../support/folders.ts';

/** The environment of every project. */
const variables = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };

function read(files: Record<string, string>, more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return readSignInSecrets(folder, new Map(Object.entries({ ...variables, ...more })));
}

const admin = `module.exports = ({ env }) => ({ apiToken: { salt: env('API_TOKEN_SALT') }, flags: flagsOf(env) });`;
const plugins = (config: string) => `module.exports = ({ env }) => ({ 'users-permissions': { config: ${config} } });`;
const ofEnvironment = { apiTokenSalt: 'salt', jwtSecret: 'secret', jwtManagement: 'legacy-support' };

test('reads the secrets of the environment as new projects name them', () => {
  expect(read({ 'config/admin.js': admin })).toEqual({ secrets: ofEnvironment, warnings: [] });
});

test('reads the session mode of new projects of Strapi 5.54', () => {
  const text = `import type { Core } from '@strapi/strapi';
    const deniedTypes = ['image/svg+xml'];
    const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Plugin => ({
      'users-permissions': { config: { jwtManagement: 'refresh', sessions: { httpOnly: true } } },
      upload: { config: { security: { deniedTypes } } },
    });
    export default config;`;
  const { secrets, warnings } = read({ 'config/admin.js': admin, 'config/plugins.ts': text });
  expect(secrets).toEqual({ ...ofEnvironment, jwtManagement: 'refresh' });
  expect(warnings).toEqual([]);
});

test('the configuration takes precedence over the variables', () => {
  const files = {
    'config/admin.js': `module.exports = ({ env }) => ({ apiToken: { salt: env('OTHER_SALT', 'default salt') } });`,
    'config/plugins.js': plugins(`{ jwtSecret: env('OTHER_SECRET'), jwtManagement: 'legacy-support' }`),
  };
  const { secrets } = read(files, { OTHER_SECRET: 'other' });
  expect(secrets).toEqual({ apiTokenSalt: 'default salt', jwtSecret: 'other', jwtManagement: 'legacy-support' });
});

test('a file of the environment takes precedence over the general one', () => {
  const files = {
    'config/plugins.js': plugins(`{ jwtSecret: 'general' }`),
    'config/env/production/plugins.js': plugins(`{ jwtSecret: 'production' }`),
  };
  expect(read(files, { NODE_ENV: 'production' }).secrets.jwtSecret).toBe('production');
  expect(read(files).secrets.jwtSecret).toBe('general');
});

test('uses the variables for what the code computes, and warns without the value', () => {
  const files = {
    'config/admin.js': `module.exports = () => ({\n  apiToken: { salt: saltOf('hidden') } });`,
    'config/plugins.js': plugins(`{ jwtSecret: 7355608, jwtManagement: modeOf('hidden') }`),
  };
  const { secrets, warnings } = read(files);
  expect(secrets).toEqual(ofEnvironment);
  expect(warnings.map(({ kind }) => kind)).toEqual(Array(3).fill('unread-secret'));
  const text = warnings.map(({ message }) => message).join('\n');
  expect(text).toContain(
    'config/admin.js:2: apiToken.salt cannot be read (is the result of a call), so API_TOKEN_SALT of the environment is used',
  );
  expect(text).toContain('config/plugins: users-permissions.config.jwtSecret is no text, so JWT_SECRET');
  expect(text).toMatch(/jwtManagement cannot be read .*, so it is taken to be "legacy-support"; set jwtManagement/);
  expect(text).not.toMatch(/hidden|7355608/);
});

test('a project without secrets has none', () => {
  const { secrets } = readSignInSecrets(temporaryFolder(), new Map());
  expect(secrets).toEqual({ apiTokenSalt: null, jwtSecret: null, jwtManagement: 'legacy-support' });
});
