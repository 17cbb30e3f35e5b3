import { useState } from 'preact/hooks';
import { addressOf, useExplored } from '../state/explored.ts';
import { urlBelowPrefix } from '../state/page-state.ts';

/** The URL as one line of text. Enter, or leaving the line, explores what it says. */
export function UrlLine() {
  const { schema, url, open } = useExplored();
  const address = addressOf(schema, url);
  const [typed, setTyped] = useState<string | null>(null);
  const apply = () => {
    if (typed !== null && typed.trim() !== address) open(urlBelowPrefix(typed, schema.base, schema.prefix));
    setTyped(null);
  };
  return (
    <label class="url">
      <span class="method">GET</span>
      <input
        type="text"
        aria-label="URL"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={typed ?? address}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={apply}
        onKeyDown={({ key }) => {
          if (key === 'Enter') apply();
          if (key === 'Escape') setTyped(null);
        }}
      />
    </label>
  );
}
