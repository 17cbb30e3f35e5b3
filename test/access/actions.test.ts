import { expect, test } from 'vitest';
import { wrongAction } from '../../src/model/access/actions.ts';
import type { Schema } from '../../src/model/schema/schema.ts';

const schema = { types: new Map([['api::article.article', {}]]) } as unknown as Schema;

test.each([
  'draft',
  'api::article.article.find',
  'api::article.article.publish',
  'plugin::upload.content-api.findOne',
  'plugin::unknown.controller.anything',
])('%s is an action', (action) => {
  expect(wrongAction(action, schema)).toBeNull();
});

test.each([
  ['find', 'is neither "draft" nor an action such as api::article.article.find'],
  ['api::artikle.article.find', 'names no content type'],
  ['api::article.article.fond', 'names no action of that type (did you mean "find"?)'],
  ['plugin::upload.content-api.find1', 'names no action of that type (did you mean "find"?)'],
])('%s %s', (action, problem) => {
  expect(wrongAction(action, schema)?.()).toContain(problem);
});
