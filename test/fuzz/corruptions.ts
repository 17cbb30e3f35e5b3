/** Breaks the files of a snapshot or its archive as disks, networks and attackers do. */
import type { Random } from '../../bench/random.ts';
import type { Files } from './small-snapshots.ts';

type Breaking = (bytes: Buffer, random: Random) => Buffer;

function at(bytes: Buffer, random: Random): number {
  return random.integer(0, Math.max(0, bytes.length - 1));
}

function inserted(bytes: Buffer, random: Random, part: Buffer | string): Buffer {
  const place = at(bytes, random);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(part as string), bytes.subarray(place)]);
}

export const byteBreakings: Record<string, Breaking> = {
  flip: (bytes, random) => {
    const broken = Buffer.from(bytes);
    if (broken.length > 0) broken[at(bytes, random)] ^= 1 << random.integer(0, 7);
    return broken;
  },
  'flip two': (bytes, random) => byteBreakings.flip(byteBreakings.flip(bytes, random), random),
  cut: (bytes, random) => bytes.subarray(0, at(bytes, random)),
  'cut from the start': (bytes, random) => bytes.subarray(at(bytes, random)),
  'take out': (bytes, random) => {
    const place = at(bytes, random);
    return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + random.integer(1, 40))]);
  },
  duplicate: (bytes, random) => {
    const place = at(bytes, random);
    const end = place + random.integer(1, 200);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(place)]);
  },
  twice: (bytes) => Buffer.concat([bytes, bytes]),
  nothing: () => Buffer.alloc(0),
  NUL: (bytes, random) => inserted(bytes, random, '\0'.repeat(random.pick([1, 512]))),
  'bad UTF-8': (bytes, random) =>
    inserted(bytes, random, Buffer.from(random.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5]]))),
  'a mark of byte order': (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  'a huge line': (bytes, random) => inserted(bytes, random, 'x'.repeat(random.pick([10_000, 300_000]))),
  'line ends': (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'lines in another order': (bytes, random) => {
    const lines = bytes.toString('latin1').split('\n');
    const [one, other] = [random.integer(0, lines.length - 1), random.integer(0, lines.length - 1)];
    [lines[one], lines[other]] = [lines[other], lines[one]];
    return Buffer.from(lines.join('\n'), 'latin1');
  },
  'a line twice': (bytes, random) => {
    const lines = bytes.toString('latin1').split('\n');
    lines.splice(random.integer(0, lines.length - 1), 0, random.pick(lines));
    return Buffer.from(lines.join('\n'), 'latin1');
  },
  'another value': changedValue,
  'another word': (bytes, random) => {
    const words = [...new Set(bytes.toString('latin1').match(/"[^"\n]{1,40}"/g) ?? ['""'])];
    const text = bytes.toString('latin1');
    return Buffer.from(
      text.replace(
        random.pick(words),
        random.pick([...words, '""', '"__proto__"', '"constructor"', '"id"', '"\\ud800"']),
      ),
      'latin1',
    );
  },
};

const strangeValues: unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e300, '', 'x', '\u0000', '2020-02-30', '9'.repeat(400), [], {}, [[]], [null], { id: 1 }],
  ...[
    JSON.parse('{"__proto__":{"a":1}}'),
    { constructor: { prototype: 1 } },
    deep(300),
    deep(5000),
    integerKeys(5000),
    ['x'.repeat(5000)],
  ],
];

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

function integerKeys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i * 65_536), i]));
}

/** Replaces a value in a JSON file or one of its lines with a value of another kind. */
function changedValue(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString();
  const lines = text.startsWith('{"') ? text.split('\n') : [text];
  const line = random.integer(0, lines.length - 1);
  try {
    const value = JSON.parse(lines[line]);
    const places: [object: Record<string, unknown>, key: string][] = [];
    const walk = (inner: unknown) => {
      if (typeof inner !== 'object' || inner === null) return;
      for (const key of Object.keys(inner)) {
        places.push([inner as Record<string, unknown>, key]);
        walk((inner as Record<string, unknown>)[key]);
      }
    };
    walk(value);
    if (places.length === 0) return bytes;
    const [object, key] = random.pick(places);
    object[random.next() < 0.1 ? random.pick(['__proto__', 'id', 'documentId', 'zz']) : key] =
      random.pick(strangeValues);
    lines[line] = JSON.stringify(value);
  } catch {
    return bytes;
  }
  return Buffer.from(lines.join('\n'));
}

/** Breaks one file or the set of files. Returns the new files and a description. */
export function brokenFiles(files: Files, random: Random): { files: Files; what: string } {
  const broken: Files = new Map(files);
  const names = [...files.keys()];
  const name = random.pick(names);
  const other = random.pick(names);
  switch (random.integer(0, 19)) {
    case 0:
      broken.delete(name);
      return { files: broken, what: `${name} is missing` };
    case 1:
      broken.set(name, files.get(other)!).set(other, files.get(name)!);
      return { files: broken, what: `${name} and ${other} change places` };
    case 2:
      broken.set(name.replace(/(\.jsonl?)$/, '-2$1'), files.get(name)!);
      return { files: broken, what: `a copy of ${name}` };
    case 3:
      broken.set(`${name}.bak`, files.get(name)!);
      return { files: broken, what: `a file that is none, beside ${name}` };
    default: {
      const kind = random.pick(Object.keys(byteBreakings));
      broken.set(name, byteBreakings[kind](files.get(name)!, random));
      return { files: broken, what: `${kind} in ${name}` };
    }
  }
}
