import { useState } from 'preact/hooks';
import { addressOf, useExplored } from '../state/explored.ts';
import { urlBelowPrefix } from '../state/page-state.ts';

/** The URL, as one line that wraps. Enter, or leaving the line, explores what it says. */
export function UrlLine() {
  const { schema, url, open } = useExplored();
  const address = addressOf(schema, url);
  const [typed, setTyped] = useState<string | null>(null);
  const apply = () => {
    if (typed !== null && typed !== address) open(urlBelowPrefix(typed, schema.base, schema.prefix));
    setTyped(null);
  };
  return (
    <label class="url">
      <span class="method">GET</span>
      <textarea
        aria-label="URL"
        rows={1}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={typed ?? address}
        onInput={({ currentTarget: { value } }) => setTyped(value.replaceAll(/\s*\n\s*/g, ''))}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped(null);
          if (event.key !== 'Enter') return;
          event.preventDefault();
          apply();
        }}
      />
    </label>
  );
}
