import { useRef, useState } from 'preact/hooks';
import { addressOf, useExplored } from '../state/explored.ts';
import { type CopyForm, copyForms, printCopy } from './copy-forms.ts';

/** Copies the query in the form that is chosen, and shows what was copied. */
export function CopyPanel() {
  const { schema, query, url, type, route, credentials } = useExplored();
  const [form, setForm] = useState<CopyForm | null>(null);
  const [message, setMessage] = useState('');
  const shown = useRef<HTMLPreElement>(null);
  const textOf = (chosen: CopyForm) =>
    printCopy(chosen, {
      query,
      schema,
      type,
      route,
      apiUrl: location.origin + addressOf(schema, '').slice(0, -1),
      url,
      hasToken: credentials.token !== '',
      role: credentials.role,
    });
  const copy = async (chosen: CopyForm) => {
    setForm(chosen);
    try {
      await navigator.clipboard.writeText(textOf(chosen));
      setMessage(`Copied as ${chosen}.`);
    } catch {
      // browsers give no clipboard to pages without TLS
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      setMessage('Press Ctrl+C or ⌘C to copy the text.');
    }
  };
  return (
    <>
      <div class="bar copy" role="group" aria-label="Copy the query">
        <span class="bar-name">Copy</span>
        {copyForms.map((each) => (
          <button type="button" key={each} aria-pressed={each === form} onClick={() => copy(each)}>
            {each}
          </button>
        ))}
      </div>
      <div class="copied" hidden={form === null}>
        <p>
          <span role="status">{message}</span>
          <button type="button" class="icon" aria-label="Hide what was copied" onClick={() => setForm(null)}>
            ×
          </button>
        </p>
        <pre ref={shown}>{form && textOf(form)}</pre>
      </div>
    </>
  );
}
