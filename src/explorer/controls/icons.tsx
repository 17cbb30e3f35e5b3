/** The icons of buttons, drawn in the colour of the text. Each button has a label of its own. */

export function FilterIcon() {
  return <Icon path="M2 3h12L9.5 8.5V13l-3 1V8.500z" />;
}

export function CountIcon() {
  return <Icon path="M2 3h12v2H2zM2 7h8v2H2zM2 11h5v2H2z" />;
}

export function Disclosure({ isOpen }: { readonly isOpen: boolean }) {
  return <Icon path={isOpen ? 'M3 6h10l-5 5.500z' : 'M6 3l5.500 5L6 13z'} />;
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" fill="currentColor" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
