import { useId, useState } from 'preact/hooks';
import { Isolated } from '../controls/isolated.tsx';
import type { Offer } from './use-offers.ts';

interface ValueBoxProps {
  readonly label: string;
  readonly value: string;
  readonly offers: readonly Offer[];
  /** Called when the box begins to need its offers, and when it no longer does. */
  onToggle(isOpen: boolean): void;
  /** Called with Enter, with an offer that is picked, and when the focus leaves the box. */
  onCommit(value: string): void;
}

/** So many offers are shown at once. Typing finds the others. */
const shownOffers = 50;

/** A text box that offers values with their counts. */
export function ValueBox({ label, value, offers, onToggle, onCommit }: ValueBoxProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const text = typed ?? value;
  const needle = (typed ?? '').toLowerCase();
  const shown = offers.filter((offer) => offer.value.toLowerCase().includes(needle)).slice(0, shownOffers);
  const isListed = isOpen && shown.length > 0;

  const open = () => {
    setIsOpen(true);
    onToggle(true);
  };
  const close = () => {
    setIsOpen(false);
    onToggle(false);
    setActive(-1);
  };
  const commit = (next: string) => {
    setTyped(null);
    close();
    if (next !== value) onCommit(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      open();
      if (shown.length > 0) setActive((active + step + shown.length + (active < 0 && step < 0 ? 1 : 0)) % shown.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      commit(isListed && active >= 0 ? shown[active].value : text);
    } else if (event.key === 'Escape' && (isListed || typed !== null)) {
      event.stopPropagation();
      setTyped(null);
      close();
    }
  };

  return (
    <span class="value-box">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isListed}
        aria-controls={`${id}-offers`}
        aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        size={Math.min(Math.max(text.length, 4), 28)}
        value={text}
        onFocus={open}
        onClick={open}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(-1);
          open();
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          close();
          if (typed !== null) commit(typed);
        }}
      />
      <ul role="listbox" id={`${id}-offers`} aria-label={`Values of ${label}`} hidden={!isListed}>
        {isListed &&
          shown.map((offer, i) => (
            <li
              key={offer.value}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              ref={(item) => {
                if (i === active) item?.scrollIntoView({ block: 'nearest' });
              }}
              // the text box keeps the focus
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => commit(offer.value)}
            >
              <Isolated text={offer.value} />
              {offer.count !== null && <span class="count">{offer.count.toLocaleString('en')}</span>}
            </li>
          ))}
      </ul>
    </span>
  );
}
