/** Random queries that fit a content model, as lists of genes that can be changed one by one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../bench/random.ts';

interface Link {
  name: string;
  /** Null for several types. */
  target: string | null;
}

interface ModelType {
  /** Null without a route. */
  path: string | null;
  scalars: { name: string; type: string }[];
  links: Link[];
}

export type Model = ReadonlyMap<string, ModelType>;

interface Definition {
  pluginOptions?: { i18n?: { localized?: boolean } };
  info?: { pluralName?: string; singularName?: string };
  attributes: Record<
    string,
    { type: string; target?: string; component?: string; relation?: string; private?: boolean }
  >;
}

const system = { id: 'integer', documentId: 'string', createdAt: 'datetime' };
const scalarTypes =
  'string text richtext blocks json enumeration email uid date time datetime timestamp integer biginteger float decimal boolean array';

/** The content model of a JSON snapshot, as far as queries name it; private attributes are named too. */
export function readModel(snapshot: string): Model {
  const model = new Map<string, ModelType>();
  const add = (uid: string, path: string | null, { attributes, pluginOptions }: Definition) => {
    const type: ModelType = { path, scalars: [], links: [] };
    for (const [name, type_] of Object.entries(system)) type.scalars.push({ name, type: type_ });
    if (pluginOptions?.i18n?.localized) {
      type.scalars.push({ name: 'locale', type: 'string' });
      type.links.push({ name: 'localizations', target: uid });
    }
    for (const [name, { type: kind, target, component }] of Object.entries(attributes)) {
      if (scalarTypes.includes(kind)) type.scalars.push({ name, type: kind });
      else if (kind === 'media') type.links.push({ name, target: 'plugin::upload.file' });
      else if (kind !== 'password') type.links.push({ name, target: target ?? component ?? null });
    }
    model.set(uid, type);
  };
  const read = (file: string): Definition => JSON.parse(readFileSync(join(snapshot, file), 'utf8'));
  for (const file of readdirSync(join(snapshot, 'content-types'))) {
    const definition = read(join('content-types', file));
    const { singularName = file.replace('.json', ''), pluralName = `${singularName}s` } = definition.info ?? {};
    add(`api::${singularName}.${singularName}`, pluralName, definition);
  }
  for (const file of readdirSync(join(snapshot, 'components'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.json'))
      add(file.replace('.json', '').replaceAll(/[/\\]/g, '.'), null, read(join('components', file)));
  }
  const names = (...list: string[]) => Object.fromEntries(list.map((name) => [name, { type: 'string' }]));
  add('plugin::upload.file', 'upload/files', {
    attributes: {
      ...names('name', 'alternativeText', 'url'),
      formats: { type: 'json' },
      related: { type: 'relation' },
    },
  });
  add('plugin::users-permissions.user', 'users', {
    attributes: {
      ...names('username', 'email', 'password'),
      role: { type: 'relation', target: 'plugin::users-permissions.role' },
    },
  });
  add('plugin::users-permissions.role', null, { attributes: names('name', 'type') });
  return model;
}

const operatorNames =
  '$eq $ne $eqi $nei $lt $lte $gt $gte $between $in $notIn $contains $notContains $containsi $notContainsi $startsWith $startsWithi $endsWith $endsWithi $null $notNull'.split(
    ' ',
  );
const words = [
  'e',
  'a',
  's',
  'th',
  'in',
  'the',
  'zzzzqq',
  'ing',
  ' ',
  '%5C',
  '0',
  '1',
  '5',
  '2020-01-01',
  '2020-01-01T00:00:00.000Z',
  'true',
  '_',
  'é',
  '"',
  '{',
  'essay',
];

export type Gene =
  | { kind: 'filter'; group: string; path: string[]; operator: string; values: string[] }
  | { kind: 'sort'; path: string[]; descending: boolean }
  | { kind: 'populate'; path: string[]; option: string }
  | { kind: 'root'; text: string };

export interface RandomQuery {
  uid: string;
  genes: Gene[];
}

const groups = ['[$or]', '[$and]', '[$not][$or]', '[$not][$and]'];
const rootTexts = [
  ...['status=draft', 'locale=*', 'locale=fr', '_q=e', '_q=the', '_q=a_e', '_q=5', '_q=zzzzqq', 'populate=*'],
  ...[
    'pagination[page]=100',
    'pagination[page]=1000000',
    'pagination[pageSize]=100',
    'pagination[start]=49999&pagination[limit]=100',
  ],
  ...['pagination[withCount]=false', 'publicationFilter=modified', 'publicationFilter=never-published-document'],
  ...['hasPublishedVersion=false', 'fields=id', 'pagination[start]=1000000000'],
];

export class QueryGrammar {
  readonly #model: Model;
  readonly #random: Random;
  readonly #uids: string[];

  constructor(model: Model, random: Random) {
    this.#model = model;
    this.#random = random;
    this.#uids = [...model].filter(([, { path }]) => path !== null).map(([uid]) => uid);
  }

  query(): RandomQuery {
    const uid = this.#random.pick(this.#uids);
    return { uid, genes: Array.from({ length: this.#random.integer(1, 6) }, () => this.#gene(uid)) };
  }

  /** The query with one gene added, removed, changed, repeated many times or extended by one relation. */
  changed({ uid, genes }: RandomQuery): RandomQuery {
    const at = this.#random.integer(0, genes.length - 1);
    const gene = genes[at];
    const others = genes.filter((_, i) => i !== at);
    switch (this.#random.integer(0, 6)) {
      case 0:
        return { uid, genes: [...genes, this.#gene(uid)] };
      case 1:
        return { uid, genes: others.length > 0 ? others : [this.#gene(uid)] };
      case 2:
        return { uid, genes: [...others, this.#gene(uid)] };
      case 3: {
        // the same kind of part many times
        const like = Array.from({ length: this.#random.pick([1, 3, 10, 40, 90]) }, () => this.#like(uid, gene));
        return { uid, genes: [...genes, ...like].slice(0, 400) };
      }
      case 4:
        return { uid, genes: [...others, this.#further(uid, gene)] };
      default:
        return { uid, genes: [...others, this.#like(uid, gene)] };
    }
  }

  /** The combination of two queries of one type. */
  joined(one: RandomQuery, other: RandomQuery): RandomQuery {
    return one.uid === other.uid ? { uid: one.uid, genes: [...one.genes, ...other.genes].slice(0, 400) } : one;
  }

  /** The URL below the prefix. */
  url({ uid, genes }: RandomQuery): string {
    const sorts: string[] = [];
    const parts: string[] = [];
    genes.forEach((gene, i) => {
      const key = (path: string[]) => path.map((name) => `[${name}]`).join('');
      if (gene.kind === 'root') parts.push(gene.text);
      else if (gene.kind === 'sort') sorts.push(`${gene.path.join('.')}${gene.descending ? ':desc' : ''}`);
      else if (gene.kind === 'filter') {
        const start = `filters${gene.group}[${i}]${key(gene.path)}[${gene.operator}]`;
        if (gene.values.length === 1) parts.push(`${start}=${gene.values[0]}`);
        else gene.values.forEach((value, item) => void parts.push(`${start}[${item}]=${value}`));
      } else parts.push(`populate${gene.path.map((name) => `[${name}]`).join('[populate]')}${gene.option}`);
    });
    if (sorts.length > 0) parts.push(`sort=${sorts.join(',')}`);
    return `${this.#model.get(uid)!.path}?${parts.join('&')}`;
  }

  #gene(uid: string): Gene {
    const random = this.#random;
    switch (random.integer(0, 4)) {
      case 0:
        return { kind: 'root', text: random.pick(rootTexts) };
      case 1:
        return { kind: 'sort', path: this.#scalarPath(uid, 4), descending: random.next() < 0.5 };
      case 2: {
        const path = this.#linkPath(uid, 6);
        return path.length === 0 ? this.#gene(uid) : { kind: 'populate', path, option: this.#option(uid, path) };
      }
      default:
        return this.#filter(uid, random.pick(groups), this.#scalarPath(uid, 5));
    }
  }

  #like(uid: string, gene: Gene): Gene {
    switch (gene.kind) {
      case 'filter': {
        const path = this.#random.next() < 0.7 ? gene.path : this.#scalarPath(uid, 5);
        return this.#filter(uid, gene.group, path, this.#random.next() < 0.5 ? gene.operator : undefined);
      }
      case 'sort':
        return { ...gene, path: this.#scalarPath(uid, 5) };
      case 'populate':
        return { ...gene, option: this.#option(uid, gene.path) };
      default:
        return this.#gene(uid);
    }
  }

  #further(uid: string, gene: Gene): Gene {
    if (gene.kind === 'root') return this.#gene(uid);
    const links = gene.kind === 'populate' ? gene.path : gene.path.slice(0, -1);
    const target = this.#follow(uid, links);
    const next = target && this.#linkPath(target, 1);
    if (!target || !next || next.length === 0) return this.#like(uid, gene);
    const path = [...links, ...next];
    if (gene.kind === 'populate') return { ...gene, path, option: this.#option(uid, path) };
    const end = this.#follow(uid, path);
    return end ? { ...gene, path: [...path, ...this.#scalarPath(end, 0)] } : gene;
  }

  #filter(_uid: string, group: string, path: string[], given?: string): Gene {
    const random = this.#random;
    const operator = given ?? random.pick(operatorNames);
    const count = operator === '$between' ? 2 : operator.toLowerCase().endsWith('in') ? random.integer(1, 5) : 1;
    const isSwitch = operator === '$null' || operator === '$notNull';
    const values = Array.from({ length: count }, () => (isSwitch ? 'true' : random.pick(words)));
    return { kind: 'filter', group, path, operator, values };
  }

  #option(uid: string, path: string[]): string {
    const random = this.#random;
    const target = this.#follow(uid, path);
    switch (random.integer(0, 6)) {
      case 0:
        return '[populate]=*';
      case 1:
        return '[count]=true';
      case 2:
        return '[fields]=id';
      case 3:
        return target
          ? `[sort]=${Array.from({ length: random.pick([1, 3, 20]) }, () => this.#scalarPath(target, 3).join('.')).join(',')}`
          : '=true';
      case 4: {
        if (!target) return `[on][${random.pick([...this.#model.keys()])}][populate]=*`;
        const filter = this.#filter(target, '', this.#scalarPath(target, 4)) as Gene & { kind: 'filter' };
        return `[filters]${filter.path.map((name) => `[${name}]`).join('')}[${filter.operator}]=${filter.values[0]}`;
      }
      default:
        return '=true';
    }
  }

  #follow(uid: string, path: readonly string[]): string | null {
    let at: string | null = uid;
    for (const name of path) at = (at && this.#model.get(at)?.links.find((link) => link.name === name)?.target) || null;
    return at;
  }

  #linkPath(uid: string, most: number): string[] {
    const path: string[] = [];
    let at: string | null = uid;
    for (let left = this.#random.integer(1, most); left > 0 && at !== null; left--) {
      const links: Link[] = this.#model.get(at)?.links ?? [];
      if (links.length === 0) break;
      const link = this.#random.pick(links);
      path.push(link.name);
      at = link.target;
    }
    return path;
  }

  #scalarPath(uid: string, most: number): string[] {
    const path: string[] = [];
    let at = uid;
    for (let left = this.#random.integer(0, most); left > 0; left--) {
      const links = this.#model.get(at)!.links.filter(({ target }) => target !== null && this.#model.has(target));
      if (links.length === 0) break;
      const link = this.#random.pick(links);
      path.push(link.name);
      at = link.target!;
    }
    return [...path, this.#random.pick(this.#model.get(at)!.scalars).name];
  }
}
