import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type fc from 'fast-check';
import qs from 'qs';
import { Random as Source } from '../../bench/random.ts';
import type { Snapshot } from '../naive/snapshot.ts';
import { isScalar, type Type } from '../naive/types.ts';
import { randomRequest } from '../property/queries.ts';
import { QueryContext } from '../property/query-context.ts';
import { Random } from '../property/random.ts';

const demo = join(import.meta.dirname, '../../data/demo');

/** Draws URLs below the prefix over the demo content, from a seed. */
export class RandomUrls {
  readonly random: Random;
  readonly context: QueryContext;

  constructor(seed: number) {
    const source = new Source(seed);
    const nextInt = (low: number, high: number) => source.integer(low, high);
    this.random = new Random({ nextInt } as fc.Random);
    this.context = new QueryContext(this.random, readDemo(), 'document');
  }

  /** A query that a client would send, in one of the notations of lists. About one in ten is invalid. */
  plain(): string {
    const { random } = this;
    const { name, documentId, query } = randomRequest(this.context, []);
    const text = qs.stringify(query, {
      encodeValuesOnly: random.chance(70),
      strictNullHandling: true,
      arrayFormat: random.pick(['indices', 'indices', 'brackets', 'repeat'] as const),
    });
    const path = documentId === undefined ? name : `${name}/${documentId}`;
    return text === '' ? path : `${path}?${text}`;
  }

  /** The same with forms that are legal or nearly so, and that hardly any client sends. */
  odd(): string {
    const { random } = this;
    const [path, text = ''] = this.plain().split('?');
    const name = path.split('/')[0];
    const types = Object.values(this.context.world.types);
    const type = types.find(({ pluralName, singularName }) => name === pluralName || name === singularName)!;
    let parts = text === '' ? [] : text.split('&');
    for (let count = random.integer(1, 4); count > 0; count--) parts = this.#changed(parts, type);
    return `${path}?${parts.join('&')}`;
  }

  #changed(parts: string[], type: Type): string[] {
    const { random } = this;
    const added = random.pick(this.#oddParts(type));
    if (parts.length === 0 || random.chance(55)) return random.chance(70) ? [...parts, added] : [added, ...parts];
    const one = random.integer(0, parts.length - 1);
    const [key] = parts[one].split('=');
    switch (random.integer(1, 6)) {
      case 1:
        return [...parts, parts[one]];
      case 2:
        return parts.with(one, key);
      case 3:
        return parts.with(one, `${key}=`);
      case 4:
        return random.shuffled(parts);
      case 5:
        return [...parts, `${key}[${random.pick(['', '0', '1', '$eq', 'title', 'fields'])}]=x`];
      default:
        return parts.with(one, parts[one].replaceAll('[', '%5B').replaceAll(']', random.pick([']', '%5d'])));
    }
  }

  #oddParts(type: Type): string[] {
    const { random } = this;
    const names = Object.keys(type.attributes);
    const isOwn = (name: string) => isScalar(type.attributes[name]!);
    const scalar = random.pick(names.filter(isOwn));
    const other = random.pick(names.filter(isOwn));
    const link = random.pick([...names.filter((name) => !isOwn(name)), 'localizations']);
    const second = random.pick([...names.filter((name) => !isOwn(name)), 'team', 'author']);
    const word = random.pick([
      'a',
      '',
      'x,y',
      'a%26b',
      'a+b',
      '%C3%A9',
      '%zz',
      '1',
      'true',
      'null',
      ']%3D',
      'a=b',
      '*',
    ]);
    return [
      ...[`populate=${link}`, `populate=${link},${second}`, `populate=${link}.${second}`, `populate=${link}.`],
      ...[`populate[]=${link}`, `populate[0]=${link}&populate[1]=${second}.${link}`, `populate[1]=${link}`, 'populate'],
      ...[
        `populate[${link}]=*`,
        `populate[${link}]=true`,
        `populate[${link}]=${word}`,
        `populate[${link}]`,
        'populate=',
      ],
      ...[`populate[${link}][count]=true`, `populate[${link}][count]=${word}`, `populate[${link}][fields]=${scalar}`],
      ...[`populate[${link}][populate]=*`, `populate[${link}][populate]=${second}`, `populate[${link}][fields]=*`],
      ...[`populate[${link}][populate]=${second}.${link}`, `populate[${link}][populate][${second}]=true`],
      ...[`populate[${link}][on][block.quote]=true`, `populate[${link}][on][block.quote][populate]=*`, 'populate=*'],
      ...[`populate[${link}][sort]=id:desc`, `populate[${link}][filters][id][$gt]=2`, 'populate[0]=*', 'populate=deep'],
      ...[`populate[${link}][limit]=3`, `populate[sort]=${scalar}`, `populate[count]=true`, 'populate[true]=x'],
      ...[`fields=${scalar},${other}`, `fields[]=${scalar}`, `fields=${scalar}, ${other}`, 'fields=*', 'fields'],
      ...[`fields[0]=${scalar},${other}`, `fields[0]=${scalar}&fields[1]`, `fields[1]=${other}&fields[0]=${scalar}`],
      ...[
        `sort=${scalar}:asc,${other}`,
        `sort[]=${scalar}:DESC`,
        `sort[${scalar}]=desc`,
        `sort[0][${scalar}]=asc`,
        'sort=',
      ],
      ...['sort=status', 'sort=status:asc', 'sort=status:desc', `sort=${link}.id`, `sort[${link}][id]=desc`],
      ...[`filters[${scalar}]=${word}`, `filters[${scalar}][$eq]=${word}`, `filters[${scalar}][$ne]=${word}`],
      ...[`filters[${scalar}][]=${word}`, `filters[${scalar}][$in]=${word}&filters[${scalar}][$in]=b`, 'filters='],
      ...[`filters[${scalar}][0]=a&filters[${scalar}][1]=b`, `filters[${link}]=1`, `filters[${link}][id][$eq]=1`],
      ...[`filters[${link}][$eq]=1`, `filters[${link}][0]=1&filters[${link}][1]=2`, `filters[${scalar}][$null]=true`],
      ...[`filters[$or][0][${scalar}]=${word}&filters[$or][1][${other}][$ne]=b`, `filters[$and][0][id][$gt]=1`],
      ...[`filters[$not][${scalar}][$eq]=${word}&filters[$not][id]=2`, `filters[$or][0][$and][0][$not][id]=1`],
      ...[
        `filters[$or][0][id]=1&filters[$or][0][${scalar}]=${word}`,
        `filters[0][id]=1`,
        `filters[${scalar}][$not][$eq]=a`,
      ],
      ...[`filters[id][$between][]=1&filters[id][$between][]=9`, 'filters[id][$notNull]', 'filters[id][$foo]=1'],
      ...['pagination[page]=2', 'pagination[page]', 'pagination[limit]=5', 'pagination[x]=1', 'pagination=2', 'page=2'],
      ...['start=1', 'limit=3', 'status=draft', 'status', 'status=', 'locale=*', 'locale=fr&locale=en', 'locale[]=en'],
      ...[`_q=${word}`, '_q', `_q[]=${word}`, `facets=${scalar}`, `facets[0]=${link}.id&facets[1]=${scalar}`, 'facets'],
      ...[`x=${word}`, 'x', '', '=', '__proto__=1', `[filters][id]=1`, 'filters[id]x=1', 'filters]=1', 'lookup=1'],
      ...['filters[__proto__][id]=1', 'publicationState=preview', 'hasPublishedVersion=true', `sort=${word}`],
      `filters${'[author]'.repeat(random.integer(15, 22))}[id]=1`,
    ];
  }
}

function readDemo(): Snapshot {
  const read = (path: string) => JSON.parse(readFileSync(join(demo, path), 'utf8'));
  const filesOf = (folder: string) => readdirSync(join(demo, folder), { recursive: true, encoding: 'utf8' });
  const named = (folder: string, separator: string) => {
    const files = filesOf(folder).filter((file) => file.endsWith('.json'));
    return files.map((file) => [file.slice(0, -'.json'.length).replaceAll('/', separator), read(`${folder}/${file}`)]);
  };
  const types = named('content-types', '/');
  // operands come from single values, so links are left out
  const entries = types.map(([name, { attributes }]) => {
    const isLink = (key: string) => attributes[key] !== undefined && !isScalar(attributes[key]);
    const single = (entry: object) => Object.fromEntries(Object.entries(entry).filter(([key]) => !isLink(key)));
    return [name, read(`entries/${name}.json`).slice(0, 20).map(single)];
  });
  return {
    settings: read('snapshot.json'),
    contentTypes: types.map(([, type]) => type),
    components: Object.fromEntries(named('components', '.')),
    entries: Object.fromEntries(entries),
  };
}
