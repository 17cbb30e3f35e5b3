import { useState } from 'preact/hooks';
import type { Credentials } from '../state/fetched.ts';

interface AccessBarProps {
  readonly credentials: Credentials;
  /** The roles that the caller may read as. */
  readonly roles: readonly string[];
  /** What an empty field means. */
  readonly placeholder?: string;
  onChange(credentials: Credentials): void;
}

/** The token, which stays in the memory of the page, and the role to read as. */
export function AccessBar({ credentials, roles, placeholder = 'none: as the public', onChange }: AccessBarProps) {
  const [typed, setTyped] = useState(credentials.token);
  const apply = () => {
    const token = typed.trim().replace(/^Bearer\s+/i, '');
    if (token !== credentials.token) onChange({ token, role: '' });
  };
  return (
    <div class="bar">
      <label>
        <span class="bar-name">Token</span>
        <input
          type="password"
          autocomplete="off"
          placeholder={placeholder}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={apply}
          onKeyDown={({ key }) => key === 'Enter' && apply()}
        />
      </label>
      {roles.length > 0 && (
        <label>
          <span class="bar-name">Read as</span>
          <select
            value={credentials.role}
            onChange={({ currentTarget: { value } }) => onChange({ ...credentials, role: value })}
          >
            <option value="">the token itself</option>
            {roles.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
