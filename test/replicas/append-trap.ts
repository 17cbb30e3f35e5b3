import type { Socket } from 'node:net';
import type { TcpProxy } from '../support/tcp-proxy.ts';

/** How an append is sent: its script by digest or, once, as text. Rights are checked by the same script. */
const append = /\r\n(?:EVALSHA|EVAL)\r\n/;
const rightsCheck = /\r\nprobe\r\n/;
const unknownScript = '-NOSCRIPT';

/**
 * Holds the next append that passes a proxy, `before` it reaches the Redis or `after` the Redis has done it. Resolves when it
 * is held. Its connection passes nothing any more; later appends are not held.
 */
export function holdAppend(proxy: TcpProxy, when: 'before' | 'after'): Promise<void> {
  return new Promise((resolve) => {
    let appending: Socket | null = null;
    const hold = () => {
      proxy.inspect = null;
      resolve();
      return false;
    };
    proxy.inspect = (data, sender, client) => {
      if (sender === 'client') {
        const text = data.toString('latin1');
        if (!append.test(text) || rightsCheck.test(text)) return true;
        if (when === 'before') return hold();
        appending = client;
      } else if (client === appending) {
        appending = null;
        if (!data.toString('latin1').includes(unknownScript)) return hold();
      }
      return true;
    };
  });
}

/** Ends all connections of a proxy once clients have sent some more bytes. */
export function dropAfter(proxy: TcpProxy, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let left = bytes;
    proxy.inspect = (data, sender) => {
      if (sender === 'client') left -= data.length;
      if (left >= 0) return true;
      proxy.inspect = null;
      proxy.drop();
      resolve();
      return false;
    };
  });
}
