/** Files that a configuration reads as text, such as certificates, are read as Strapi reads them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configured } from '../../src/load/project/configuration.ts';
import { NotConstantError } from '../../src/load/project/source/scope.ts';
import { temporaryFolder } from '../support/folders.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

/** Returns the `ca` of a project whose configuration has this code. */
function caOf(code: string, name = 'database.js', variables: Record<string, string> = {}): unknown {
  const project = temporaryFolder();
  for (const folder of ['config', 'certs']) mkdirSync(join(project, folder));
  writeFileSync(join(project, 'certs/ca.pem'), certificate);
  writeFileSync(join(project, 'certs/large.pem'), 'x'.repeat(2 ** 20));
  writeFileSync(join(project, 'config', name), code);
  return configured(project, 'database', ['ca'], new Map(Object.entries(variables)));
}

const body = (value: string) => `module.exports = ({ env }) => ({ ca: ${value} });`;

test.each([
  ["fs.readFileSync(path.join(__dirname, '../certs/ca.pem'))", certificate],
  ["fs.readFileSync('./certs/ca.pem', 'utf8')", certificate],
  ["fs.readFileSync(env('CA'), { encoding: 'utf8' }).toString()", certificate],
  ["(0, node_fs_1.readFileSync)(env('CA')).toString('utf8').trim()", certificate.trim()],
  ["env('CA') && fs_1.default.readFileSync(env('CA'), 'utf8')", certificate],
  ["env('OTHER') && fs.readFileSync(env('OTHER'), 'utf8')", undefined],
])('the value of %s', (value, expected) => {
  expect(caOf(body(value), 'database.js', { CA: 'certs/ca.pem' })).toBe(expected);
});

test('a file that a constant of TypeScript holds', () => {
  const code = `import { readFileSync } from 'node:fs';
    const ca = readFileSync('certs/ca.pem');
    export default ({ env }) => ({ ca: ca.toString() });`;
  expect(caOf(code, 'database.ts')).toBe(certificate);
});

test.each(['missing.pem', 'large.pem', ''])(
  'a file that cannot be read is named with the line of the code: %s',
  (name) => {
    const code = body(`\n  fs.readFileSync('certs/${name}')`);
    let error: unknown;
    try {
      caOf(code);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(NotConstantError);
    const { message, file, node } = error as NotConstantError;
    expect(message).toMatch(/^reads the file .*\/certs\/?.*, which cannot be read$/);
    expect([file.name, node.loc.start.line]).toEqual(['config/database.js', 2]);
  },
);

test.each(['certs.trim()', "fs.statSync('certs').toString()", 'fs.readFileSync'])(
  'no other call is run: %s',
  (value) => {
    expect(() => caOf(body(value))).toThrow(NotConstantError);
  },
);

test.each([
  ["env('ON') && { ca: 'text', check: () => {} }", 'text'],
  ["env('OFF') && { ca: 'text', check: () => {} }", undefined],
  ["env('OFF') || { ca: 'text', check: () => {} }", 'text'],
  ["env('OFF') ?? { ca: 'text', check: () => {} }", 'text'],
  ["{ ca: 'first' } || { ca: 'second' }", 'first'],
  ["{ ca: 'first' } ?? { ca: 'second' }", 'first'],
])('a part of %s is read although another part is code', (value, expected) => {
  const project = temporaryFolder();
  mkdirSync(join(project, 'config'));
  writeFileSync(join(project, 'config/database.js'), `module.exports = ({ env }) => ({ ssl: ${value} });`);
  expect(configured(project, 'database', ['ssl', 'ca'], new Map([['ON', 'true']]))).toBe(expected);
});
