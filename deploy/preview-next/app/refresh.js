'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Milliseconds after a save until the page is shown again. Lectern may see the change a little later than the editor. */
const delays = [300, 1500];

/** Shows the page again after each save in Strapi, which says so with a message to its frame. */
export function Refresh({ origin }) {
  const router = useRouter();
  useEffect(() => {
    const timers = [];
    const listen = (message) => {
      if (message.origin !== origin || message.data?.type !== 'strapiUpdate') return;
      timers.push(...delays.map((delay) => setTimeout(() => router.refresh(), delay)));
    };
    window.addEventListener('message', listen);
    return () => {
      window.removeEventListener('message', listen);
      timers.forEach(clearTimeout);
    };
  }, [router, origin]);
  return null;
}
