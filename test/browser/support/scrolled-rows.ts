import type { Locator } from 'playwright-core';

/** Returns a text in which the page shows controls of direction as escapes. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(/\\u(202[a-e]|206[6-9])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Scrolls a box from its top to its end, and returns the text of each of its rows by number. */
export function scrolledRows(
  box: Locator,
  row: string,
  numberOf: 'aria-rowindex' | 'id' | 'line',
): Promise<Map<number, string>> {
  return box
    .evaluate(
      async (element, [selector, numbered]) => {
        const found: [number, string][] = [];
        const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        for (let top = 0; ; top += element.clientHeight - 60) {
          element.scrollTop = top;
          await frame();
          await frame();
          for (const each of element.querySelectorAll(selector)) {
            const [number, text] =
              numbered === 'line'
                ? [each.children[0].textContent, each.children[1].textContent]
                : [each.getAttribute(numbered)!.replace('row-', ''), each.textContent];
            found.push([Number(number), text]);
          }
          if (top >= element.scrollHeight) return found;
        }
      },
      [row, numberOf] as const,
    )
    .then((found) => new Map(found.map(([number, text]) => [number, withoutEscapes(text)])));
}
