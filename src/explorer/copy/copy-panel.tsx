import { useRef, useState } from 'preact/hooks';
import { addressOf, useExplored } from '../state/explored.ts';
import { type CopyForm, copyForms, printCopy } from './copy-forms.ts';

/** Copies the query in the form that is chosen, and shows what is copied. */
export function CopyPanel() {
  const { schema, query, url, type, route, credentials } = useExplored();
  const [form, setForm] = useState<CopyForm>('curl');
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
    <div class="copied">
      <div class="bar" role="group" aria-label="Copy the query">
        <span class="bar-name">Copy as</span>
        {copyForms.map((each) => (
          <button type="button" key={each} aria-pressed={each === form} onClick={() => copy(each)}>
            {each}
          </button>
        ))}
        <span class="quiet" role="status">
          {message}
        </span>
      </div>
      <pre ref={shown} tabIndex={0}>
        {textOf(form)}
      </pre>
    </div>
  );
}
