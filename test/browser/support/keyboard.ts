import type { Locator, Page } from 'playwright-core';

/** A reader who has no mouse. Nothing here sets the focus, clicks, or fills a field at once. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until the focus is on an element, or Shift+Tab if it comes before the present focus. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    const element = (await target.elementHandle())!;
    // most of the way at once, as far as it can be foreseen
    const steps = await element.evaluate(tabsTo);
    if (steps < 0) await this.#page.keyboard.down('Shift');
    await this.#pressAtOnce('Tab', Math.abs(steps));
    const isReached = () => element.evaluate((each) => each === document.activeElement);
    for (let pressed = 0; pressed < 300 && !(await isReached()); pressed++) await this.#page.keyboard.press('Tab');
    if (steps < 0) await this.#page.keyboard.up('Shift');
    if (!(await isReached())) throw new Error(`${steps < 0 ? 'Shift+Tab' : 'Tab'} does not lead to ${target}`);
  }

  /** Presses a key several times, faster than the page draws. */
  async #pressAtOnce(key: string, times: number): Promise<void> {
    await Promise.all(Array.from({ length: times }, () => this.#page.keyboard.press(key)));
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /** Goes to an element and presses a key there. */
  async use(target: Locator, ...keys: string[]): Promise<void> {
    await this.tabTo(target);
    await this.press(...keys);
  }

  /** Types into what has the focus, in place of what is there. */
  async replace(text: string): Promise<void> {
    await this.press('ControlOrMeta+A');
    await this.#page.keyboard.type(text);
  }

  /** Opens a select and chooses one of its options. */
  async choose(select: Locator, value: string): Promise<void> {
    await this.tabTo(select);
    const steps = await select.evaluate((each, wanted) => {
      const { options, selectedIndex } = each as HTMLSelectElement;
      const index = Array.from(options).findIndex((option) => option.value === wanted);
      if (index < 0) throw new Error(`no option ${wanted} among ${Array.from(options, (option) => option.value)}`);
      return index - selectedIndex;
    }, value);
    await this.press('Space');
    await this.#pressAtOnce(steps > 0 ? 'ArrowDown' : 'ArrowUp', Math.abs(steps));
    await this.press('Enter');
  }
}

/** Runs in the page: returns how many elements that take the focus lie between the present one and another. */
function tabsTo(target: Element): number {
  const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  const all = Array.from(document.querySelectorAll<HTMLElement>(focusable)).filter(
    (element) => !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true }),
  );
  const { activeElement } = document;
  return all.indexOf(target as HTMLElement) - (activeElement ? all.indexOf(activeElement as HTMLElement) : -1);
}
