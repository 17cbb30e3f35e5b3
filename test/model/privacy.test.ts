import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { isMarkedPrivate, privateAttributeNames } from '../../src/model/schema/privacy.ts';

/** Returns what a function returns, and the warnings that it reports. */
function reported<T>(read: (problems: Problems) => T): { result: T; messages: string } {
  const problems = new Problems('tolerant');
  const result = read(problems);
  return { result, messages: problems.warnings.map(({ message }) => message).join('\n') };
}
const marked = (raw: Record<string, unknown>) =>
  reported((problems) => isMarkedPrivate(raw, 'type, attribute x', problems));
const listed = (definition: object) =>
  reported((problems) =>
    privateAttributeNames({ location: 'type', ...definition }, new Set(['name', 'email']), problems),
  );

test('only "private": true makes an attribute private', () => {
  expect(marked({ type: 'string', private: true })).toEqual({ result: true, messages: '' });
  expect(marked({ type: 'string', private: false })).toEqual({ result: false, messages: '' });
  expect(marked({ type: 'string' })).toEqual({ result: false, messages: '' });
});

test.each<[object, string]>([
  [{ private: 'true' }, '"private" must be true or false, not "true"'],
  [{ private: 1 }, '"private" must be true or false, not 1'],
  [{ Private: true }, 'unknown key "Private" (did you mean "private"?)'],
  [{ privat: true }, 'unknown key "privat"'],
  [{ isPublic: false }, ''],
])('the attribute %j stays public, and is reported if that looks unintended', (raw, message) => {
  const { result, messages } = marked({ ...raw });
  expect(result).toBe(false);
  if (message === '') expect(messages).toBe('');
  else expect(messages).toContain(`type, attribute x: ${message}`);
});

test('takes the names in options.privateAttributes', () => {
  const { result, messages } = listed({ options: { privateAttributes: ['email'], draftAndPublish: true } });
  expect([...result]).toEqual(['email']);
  expect(messages).toBe('');
  expect(listed({})).toEqual({ result: new Set(), messages: '' });
});

test.each<[object, string]>([
  [
    { options: { privateAttributes: ['id'] } },
    'attribute id: "privateAttributes" has no effect on this attribute: it is always public',
  ],
  [
    { options: { privateAttributes: ['emial'] } },
    'attribute emial: "privateAttributes" names an attribute that does not exist (did you mean "email"?)',
  ],
  [
    { privateAttributes: ['email'] },
    'attribute email: "privateAttributes" has no effect: expected in "options" as "privateAttributes"',
  ],
  [{ options: { privateAtributes: ['email'] } }, 'attribute email: options.privateAtributes has no effect'],
  [{ options: { privateattributes: 'email' } }, 'attribute email: options.privateattributes has no effect'],
  [{ options: { private: true } }, 'type: options.private has no effect'],
])('reports a list without effect: %j', (definition, message) => {
  expect(listed(definition).messages).toContain(message);
});
