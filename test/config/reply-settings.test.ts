import { expect, test } from 'vitest';
import { dialectFor } from '../../src/core/dialect.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import {
  digestOfReplySettings,
  machineSettings,
  replySettings,
  replySettingsOf,
} from '../../src/model/settings/reply-settings.ts';

const content = { dialect: dialectFor('strapi', '5.54.0', 'sqlite'), tolerance: 'tolerant' } as const;

function digestOf(settings: object, of: Parameters<typeof digestOfReplySettings>[1] = content): string {
  return digestOfReplySettings(replySettingsOf(configSchema.parse(settings)), of);
}

test('each setting either decides about replies or is one of the machine', () => {
  const { shape } = configSchema.def.in as { shape: object } & typeof configSchema.def.in;
  expect([...replySettings, ...machineSettings].sort()).toEqual(Object.keys(shape).sort());
});

test('settings that decide about replies have a digest, and those of the machine none', () => {
  const digest = digestOf({});
  const others = [{ maxLimit: 50 }, { features: ['deepPopulate'] }, { drafts: true }, { prefix: '' }, { public: true }];
  for (const settings of others) expect(digestOf(settings)).not.toBe(digest);
  expect(digestOf({ port: 1, jwtSecret: 'secret', cacheDir: 'cache', threads: 2 })).toBe(digest);
});

test('a default that the content decides is as good as the setting', () => {
  const given = { dialect: 'strapi', database: 'sqlite', tolerance: 'tolerant', responseFormat: 'v5' };
  expect(digestOf(given)).toBe(digestOf({}));
  expect(digestOf({ dialect: 'document' })).not.toBe(digestOf({}));
});

test('neither the order of features nor the place of a module counts', () => {
  expect(digestOf({ features: ['countSort', 'deepPopulate'] })).toBe(
    digestOf({ features: ['deepPopulate', 'countSort'] }),
  );
  expect(digestOf({ extend: '/a/site.js' })).toBe(digestOf({ extend: '/b/site.js' }));
  expect(digestOf({ extend: '/a/site.js' })).not.toBe(digestOf({}));
});
