/** Options that the benchmarks reject before they build, install or measure anything. */
import { expect, test, vi } from 'vitest';
import { readOptions } from '../../bench/options.ts';
import { peers } from '../../bench/peers/index.ts';

const read = (...options: string[]) => readOptions(['node', 'run.ts', ...options]);

function refusal(...options: string[]): string {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => {
    text += part;
    return true;
  });
  vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exit');
  });
  expect(() => read(...options)).toThrow('exit');
  return text.split('\n')[0];
}

test('everything is measured by default', () => {
  const { only, content, peers: chosen, sets } = read();
  expect({ only, content, sets }).toEqual({
    only: ['inprocess', 'http', 'load'],
    content: ['magazine', 'links', 'pages'],
    sets: 200,
  });
  expect(chosen).toEqual(peers.map(({ name }) => name));
});

test('names are accepted in any order and sorted as in the tables', () => {
  expect(read('--peers', 'sift,lectern').peers).toEqual(['lectern', 'sift']);
});

test.each([
  [['--peers', 'lectern,oracle'], `"oracle" is not one of lectern, lectern-caches-on,`],
  [['--peers', 'sift'], 'must include lectern'],
  [['--queries', 'slug', '--content', 'links'], 'names no query of the content links'],
  [['--size', '10'], 'a whole number from 1000 to 1000000'],
  [['--sets', 'many'], 'a whole number from 1 to 100000'],
  [['--client', 'curl'], 'Allowed choices are autocannon, wrk'],
  [['--svg', '/nowhere/picture.svg'], 'The folder /nowhere does not exist.'],
  [['--results', '/'], '/ is a folder, not a file.'],
  [['--documents'], "option '--documents' needs '--report'"],
  [['--urls', 'urls.txt'], "option '--urls' needs '--snapshot'"],
  [['--snapshot', 'data/demo'], "option '--snapshot' needs '--urls'"],
  [['--against', 'main', '--peers', 'lectern'], "option '--peers' has no effect on --against"],
  [['--against', 'main', '--snapshot', 'a', '--urls', 'b', '--http', 'c'], "option '--http' has no effect"],
  [['--snapshot', 'a', '--urls', 'b', '--size', '1000'], "option '--size' has no effect on --snapshot"],
  [['--report', 'a.json', '--rounds', '1'], "option '--rounds' has no effect on --report"],
  [['--only', 'load', '--sets', '5'], "option '--sets' has no effect on '--only load'. It is for inprocess."],
  [['--quick'], `unknown option '--quick'`],
])('%j is rejected', (options, message) => {
  expect(refusal(...options)).toContain(message);
});
