import { useEffect, useState } from 'preact/hooks';

/** Returns whether something has been going on for this many milliseconds. */
export function useLasting(isGoingOn: boolean, milliseconds: number): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isGoingOn) return;
    const timer = setTimeout(() => setLasts(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [isGoingOn, milliseconds]);
  return lasts;
}
