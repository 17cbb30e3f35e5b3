/** Arrays that are too large are errors that name the attribute and the size. */
import { expect, test } from 'vitest';
import { SnapshotError } from '../../src/core/errors.ts';
import { type Allocator, heapAllocator } from '../../src/core/memory/allocator.ts';
import { GrowableBytes } from '../../src/core/memory/growable-buffers.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { allocateAt } from '../../src/store/writer/allocation-errors.ts';
import { copySorted } from '../../src/store/writer/text/text-column-builder.ts';
import { caseCount } from '../support/cases.ts';
import { guideFolder } from '../support/guide.ts';

test('growing beyond 4 GiB names the place and the bytes', () => {
  const bytes = new GrowableBytes('api::page.page, attribute text');
  const message =
    'api::page.page, attribute text: takes at least 4294967296 bytes while loading, the limit is 4294967288';
  expect(() => bytes.copy(Buffer.alloc(0), 0, 2 ** 32)).toThrow(new SnapshotError([message]));
});

test('distinct texts of more than 2 GiB name the attribute and the bytes', () => {
  const copy = () =>
    copySorted(
      Buffer.alloc(0),
      Uint32Array.of(0, 2 ** 31),
      Uint32Array.of(0),
      heapAllocator,
      'api::page.page, attribute text',
    );
  const message = 'api::page.page, attribute text: the distinct texts take 2147483650 bytes, the limit is 2147483647';
  expect(copy).toThrow(new SnapshotError([message]));
});

/** Allocates on the heap, but fails from call number `calls` on. */
function failingAllocator(calls: number): Allocator {
  let left = calls;
  const counted =
    <Result>(allocate: (length: number) => Result) =>
    (length: number) => {
      if (left-- <= 0) throw new RangeError('Array buffer allocation failed');
      return allocate(length);
    };
  return Object.fromEntries(
    Object.entries(heapAllocator).map(([name, allocate]) => [name, counted(allocate)]),
  ) as unknown as Allocator;
}

test('a failed allocation names the type, and the attribute if it is for one', async () => {
  const places = new Set<string>();
  for (let calls = 0; ; calls += caseCount(23, 47)) {
    const error = await loadSnapshot(guideFolder, { dialect: 'strapi', allocator: failingAllocator(calls) }).then(
      () => null,
      (thrown) => thrown,
    );
    if (!error) break;
    expect(error).toBeInstanceOf(SnapshotError);
    expect(error.problems).toHaveLength(1);
    const [, place] =
      /^(\S+[.:]\S.*): Array buffer allocation failed; loading needs more memory/.exec(error.problems[0]) ?? [];
    expect(place, error.problems[0]).toBeDefined();
    places.add(place!.replace(/^\S+ /, ''));
  }
  expect(places).toContain('JSON of the entries');
  expect([...places].filter((place) => place.startsWith('attribute ')).length).toBeGreaterThan(5);
});

test('only a failed allocation is an error of the snapshot', () => {
  const failing = [
    () => new Uint8Array(2 ** 60),
    () => new ArrayBuffer(2 ** 60),
    () => Buffer.allocUnsafeSlow(2 ** 60),
    () => new ArrayBuffer(0, { maxByteLength: 1 }).resize(2 ** 40),
  ];
  for (const allocate of failing) expect(() => allocateAt('here', allocate)).toThrow(SnapshotError);
  const endless = (): number => endless() + 1;
  for (const mistake of [endless, () => (1).toString(99)])
    expect(() => allocateAt<unknown>('here', mistake)).toThrow(RangeError);
});
