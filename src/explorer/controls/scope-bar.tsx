import { withParameter } from '../query/edit.ts';
import { useExplored } from '../state/explored.ts';

/** The text that is searched for, the status and the locale. */
export function ScopeBar() {
  const { schema, type, query, edit, isList } = useExplored();
  if (!type) return null;
  const { status, locale, search } = query;
  const locales = [...schema.locales, ...(isList ? ['*'] : [])];
  return (
    <div class="bar">
      {isList && (
        <label>
          <span class="bar-name">Search</span>
          <input
            type="search"
            autocomplete="off"
            value={search ?? ''}
            onInput={({ currentTarget: { value } }) =>
              // one entry of the history for a search, not one for each letter
              edit(
                (before) => withParameter(before, 'search', value === '' ? null : value),
                search === null ? 'push' : 'replace',
              )
            }
          />
        </label>
      )}
      {((type.draftAndPublish && schema.readsDrafts) || status !== null) && (
        <Choice
          name="Status"
          value={status}
          usual="published"
          values={['published', 'draft']}
          onChange={(value) => edit((before) => withParameter(before, 'status', value))}
        />
      )}
      {(type.localized || locale !== null) && (
        <Choice
          name="Locale"
          value={locale}
          usual={schema.defaultLocale}
          values={locales}
          onChange={(value) => edit((before) => withParameter(before, 'locale', value))}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string | null;
  /** The value that the server assumes. */
  readonly usual: string;
  readonly values: readonly string[];
  onChange(value: string | null): void;
}

function Choice({ name, value, usual, values, onChange }: ChoiceProps) {
  const others = values.filter((each) => each !== usual);
  const all = value === null || value === usual || others.includes(value) ? others : [value, ...others];
  return (
    <label>
      <span class="bar-name">{name}</span>
      <select
        value={value === usual ? '' : (value ?? '')}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
      >
        <option value="">{usual}</option>
        {all.map((each) => (
          <option key={each} value={each}>
            {each === '*' ? 'all (*)' : each}
          </option>
        ))}
      </select>
    </label>
  );
}
