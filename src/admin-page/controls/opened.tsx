import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Disclosure } from '../../explorer/controls/icons.tsx';

interface OpenedProps {
  readonly label: string;
  /** The name of the card. */
  readonly of: string;
  /** Drawn while it is open only, so that nothing is requested before. */
  readonly children: ComponentChildren;
}

/** A part of a card that a button opens. */
export function Opened({ label, of, children }: OpenedProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="opened" data-open={isOpen}>
      <button
        type="button"
        class="text"
        aria-expanded={isOpen}
        aria-label={`${label}: ${of}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Disclosure isOpen={isOpen} />
        {label}
      </button>
      {isOpen && children}
    </div>
  );
}
