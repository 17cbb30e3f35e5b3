import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { clientAddress } from '../../src/server/connections/request-details.ts';

/** The address of the client of a request from `peer`, if these addresses are trusted proxies. */
function addressOf(peer: string | undefined, forwarded: string | undefined, trusted: readonly string[]) {
  const request = { socket: { remoteAddress: peer }, connection: {}, headers: { 'x-forwarded-for': forwarded } };
  return clientAddress(request as unknown as IncomingMessage, (address) => trusted.includes(address));
}

describe('the address of a client', () => {
  test.each<[string, string | undefined, string[], string]>([
    ['10.0.0.1', undefined, ['10.0.0.1'], '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4', [], '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4', ['10.0.0.1'], '1.2.3.4'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4', ['10.0.0.1'], '1.2.3.4'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4, 10.0.0.2', ['10.0.0.1', '10.0.0.2'], '1.2.3.4'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', ['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0.0.3'],
  ])('from %s with X-Forwarded-For %j, with the trusted proxies %j, is %s', (peer, forwarded, trusted, expected) => {
    expect(addressOf(peer, forwarded, trusted)).toBe(expected);
  });

  test.each([
    ['1.2.3.4:80', '1.2.3.4'],
    ['::1', '::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
  ])('has no port: %s', (forwarded, expected) => {
    expect(addressOf('10.0.0.1', forwarded, ['10.0.0.1'])).toBe(expected);
  });

  test.each(['unknown', '_hidden', '1.2.3', '1.2.3.4.5', '[1.2.3.4]', '[1.2.3.4]:80', '1.2.3.4:x', '2001:db8::1]', ''])(
    'is that of the proxy that wrote %j',
    (forwarded) => {
      expect(addressOf('10.0.0.1', forwarded, ['10.0.0.1'])).toBe('10.0.0.1');
    },
  );

  test('is undefined once the connection is closed', () => {
    expect(addressOf(undefined, '1.2.3.4', [])).toBeUndefined();
  });
});
