import type { Page } from 'playwright-core';

/** The elements that the explorer makes. Any other would be made from a value. */
const tags =
  'html head meta title link script body noscript header main nav section div span p h1 h2 ul li dl dt dd table colgroup col thead tbody tr th td label input textarea select optgroup option button details summary code pre bdi i a img svg path';

/** Returns what is in the document of the page and was not made by it. `more` are elements that the explorer does not make. */
export function foreignElements(page: Page, imageOrigins: readonly string[] = [], more = ''): Promise<string[]> {
  return page.evaluate(
    ([names, origins]) => {
      const found: string[] = [];
      const known = new Set(names.split(' '));
      const isHttp = (url: string) => /^https?:$/.test(new URL(url).protocol);
      for (const element of document.querySelectorAll('*')) {
        const tag = element.tagName.toLowerCase();
        const markup = (element.cloneNode() as Element).outerHTML.slice(0, 300);
        if (!known.has(tag)) found.push(`element ${markup}`);
        for (const { name, value } of element.attributes) {
          if (/^on|^srcdoc$|^action$|^formaction$/.test(name)) found.push(`attribute ${markup}`);
          if (name === 'style' && /url|expression|@/.test(value)) found.push(`style ${markup}`);
        }
        if (element instanceof HTMLScriptElement && new URL(element.src).origin !== location.origin) found.push(markup);
        if (element instanceof HTMLAnchorElement) {
          if (!isHttp(element.href) || element.rel !== 'noreferrer') found.push(`link ${markup}`);
        }
        if (element instanceof HTMLImageElement) {
          const { origin } = new URL(element.src);
          if (![location.origin, ...origins].includes(origin)) found.push(`image ${markup}`);
        }
      }
      for (const [tag, count] of [
        ['script', 1],
        ['link', 2],
        ['title', 1],
        ['meta', 3],
        ['noscript', 1],
      ] as const) {
        if (document.querySelectorAll(tag).length !== count) found.push(`more than ${count} of ${tag}`);
      }
      return found;
    },
    [`${tags} ${more}`, imageOrigins] as const,
  );
}
