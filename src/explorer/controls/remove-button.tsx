interface RemoveButtonProps {
  readonly label: string;
  /** The selector of the element to which the focus goes on, in place of the button that adds to the same bar. */
  readonly next?: string;
  onClick(): void;
}

/** The button at the end of a chip. */
export function RemoveButton({ label, next, onClick }: RemoveButtonProps) {
  return (
    <button
      type="button"
      class="icon"
      aria-label={label}
      title={label}
      onClick={({ currentTarget }) => {
        focusNext(currentTarget.parentElement!, next);
        onClick();
      }}
    >
      ×
    </button>
  );
}

/** Moves the focus away from a chip that goes. */
export function focusNext(chip: HTMLElement, next = '.add'): void {
  const bar = chip.parentElement!.closest('.bar');
  const button = bar ? bar.querySelector<HTMLElement>(`:scope > ${next}`) : document.querySelector<HTMLElement>(next);
  button?.focus();
}
