import type { AttributeDefinition } from '../model/definitions.ts';
import type { Random } from '../random.ts';

const words =
  'amber,Brass,cédille,Delft,Émail,fjord,Gold,Hängung,İznik,jade,Kohle,łata,Mörtel,niello,Öl,Pâte,quartz,Ravenna,straße,tile,Über,vase,Wachs,Żuk,50% lead,a_b,back\\slash,O\'Brien,"quoted",  spaced ,1984,3.5,ǅungla,日本,😀 smile,null,true'.split(
    ',',
  );

/** One or two words; those with accents, wildcards of LIKE, digits and quotes among them. */
export function randomText(random: Random): string {
  return random.chance(60) ? random.pick(words) : `${random.pick(words)} ${random.pick(words)}`;
}

const days = (random: Random) => random.integer(-9000, 20000);

/** Whether Strapi writes to MySQL or MariaDB, by the environment of its project. */
const isMysql = () => process.env.DATABASE_CLIENT === 'mysql';

/** MySQL and MariaDB have no timestamps before 1970. */
function timestampOf(instant: string): string {
  return isMysql() && instant < '1970-01-02' ? instant.replace(/^19./, '199') : instant;
}

function randomInstant(random: Random): string {
  // few different ones, so that some are equal, and some at midnight
  const midnight = random.chance(20);
  const milliseconds = days(random) * 86_400_000 + (midnight ? 0 : random.integer(0, 95) * 900_000);
  return new Date(milliseconds + (midnight || random.chance(70) ? 0 : random.integer(0, 999))).toISOString();
}

/** A value for a scalar attribute; about one in five is null. Undefined for an attribute that is not scalar. */
export function randomValue(random: Random, attribute: AttributeDefinition, unique: string): unknown {
  if (attribute.type === 'uid') return unique;
  if (random.chance(20) && attribute.type !== 'password') return isScalar(attribute) ? null : undefined;
  switch (attribute.type) {
    case 'string':
    case 'text':
    case 'richtext':
      return random.chance(5) ? '' : randomText(random);
    case 'enumeration':
      return random.pick(attribute.enum as string[]);
    case 'email':
      return `${random.pick(['ann', 'bea', 'Carl'])}${random.integer(1, 9)}@example.${random.pick(['com', 'org'])}`;
    case 'password':
      return `Secret-${unique}`;
    case 'date':
      return new Date(days(random) * 86_400_000).toISOString().slice(0, 10);
    case 'time':
      return `${String(random.integer(0, 23)).padStart(2, '0')}:${random.pick(['00', '15', '30'])}:00.000`;
    case 'datetime':
      return randomInstant(random);
    case 'timestamp':
      return timestampOf(randomInstant(random));
    case 'integer':
      return random.integer(-3, 40);
    case 'biginteger':
      return random.pick(['0', '7', '-12', '9007199254740993', '123456789012345678', '42']);
    case 'float':
      return random.pick([0, -1.5, 0.1, 2.25, 3, 1e-7, 123456.789, 1.5e10]);
    case 'decimal':
      return random.pick([0, 0.5, -3.25, 10, 99.99, 1234567.89]);
    case 'boolean':
      return random.chance(50);
    case 'json':
      // Strapi takes a text for JSON that is written already; to MySQL and MariaDB it fails to write all but objects and lists
      return random.pick([
        { b: 1, a: [1, { c: null }] },
        [],
        {},
        ['x', 2],
        { width: 3.5, unit: 'cm' },
        isMysql() ? [7] : 7,
        isMysql() ? ['text'] : '"text"',
        isMysql() ? [false] : false,
      ]);
    case 'blocks':
      return random.many(1, 2, () => ({
        type: 'paragraph',
        children: [{ type: 'text', text: randomText(random), ...(random.chance(30) && { bold: true }) }],
      }));
    default:
      return undefined;
  }
}

const notScalar = new Set(['relation', 'media', 'component', 'dynamiczone']);

export function isScalar({ type }: AttributeDefinition): boolean {
  return !notScalar.has(type);
}
