import { ExplorerPage, type Opened } from './explorer-page.ts';
import { fullAccess } from './serving.ts';

/** The states of the screen that have to be usable on every screen and for everybody. */

interface State {
  readonly opened: Opened;
  readonly hasToken?: boolean;
  /** What is done after the page is open. */
  readonly prepare?: (explorer: ExplorerPage) => Promise<void>;
}

const filtered = [
  'filters[kind][$in][0]=essay',
  'filters[kind][$in][1]=report',
  'filters[author][name][$containsi]=a',
  'filters[$or][0][premium][$eq]=true',
  'filters[$or][1][rating][$between][0]=2',
  'filters[$or][1][rating][$between][1]=5',
  'populate[author][fields]=name',
  'populate[categories][populate]=*',
  'sort=publishedOn:desc,author.name',
  'facets=kind,premium,author.name',
  'locale=en',
  'unknown=kept',
].join('&');

export const states: Readonly<Record<string, State>> = {
  fresh: { opened: {} },
  'with filters and facets': {
    opened: { url: `articles?${filtered.replace('&unknown=kept', '')}&pagination[pageSize]=10` },
    prepare: async ({ page }) => {
      await page.getByRole('button', { name: 'Copy as…' }).click();
      await page.getByRole('button', { name: '+ Filter' }).click();
    },
  },
  'with a tree': { opened: { url: 'articles?fields=title,kind&populate=author', search: 'view=tree' } },
  'with raw JSON': {
    opened: { url: 'articles?fields=title,kind&populate=author&pagination[pageSize]=5', search: 'view=raw' },
  },
  'with a plan': {
    opened: { url: `articles?${filtered.replace('&unknown=kept', '')}`, search: 'plan' },
    hasToken: true,
  },
  'with an error': { opened: { url: `articles?${filtered}&filters[nowhere][$eq]=1` } },
};

/** Opens the page in a state. */
export async function openState(origin: string, name: string, page: Opened['page'] = {}): Promise<ExplorerPage> {
  const { opened, hasToken = false, prepare } = states[name];
  const explorer = await ExplorerPage.open(origin, { ...opened, page });
  if (hasToken) await explorer.signIn(fullAccess);
  await prepare?.(explorer);
  await explorer.settled();
  return explorer;
}
