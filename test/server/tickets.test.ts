import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { digestOf, Tickets } from '../../src/server/tickets/tickets.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;

test('a ticket opens once, within 60 seconds, for its entry', () => {
  const tickets = new Tickets();
  const [used, late, other] = Array.from({ length: 3 }, () => tickets.issue(7, '/path', start).ticket);
  expect(tickets.open(digestOf(used), 7, start)).toEqual({ path: '/path' });
  expect(tickets.open(digestOf(used), 7, start)).toEqual({ problem: 'used' });
  expect(tickets.open(digestOf(late), 7, start + minute)).toEqual({ problem: 'expired' });
  expect(tickets.open(digestOf(other), 8, start)).toEqual({ problem: 'unknown' });
  expect(tickets.open(digestOf(other), 7, start + minute - 1)).toEqual({ path: '/path' });
  expect(tickets.open(other, 7, start)).toEqual({ problem: 'unknown' });
});

test('tickets are random, and only their digests are kept', () => {
  const tickets = new Tickets();
  const issued = Array.from({ length: 100 }, () => tickets.issue(1, '/', start).ticket);
  expect(new Set(issued).size).toBe(100);
  for (const ticket of issued) {
    expect(Buffer.from(ticket, 'base64url').length).toBe(32);
    expect(inspect(tickets, { depth: 5, showHidden: true, maxArrayLength: null })).not.toContain(ticket);
  }
});

test('tickets are forgotten ten minutes after they were issued', () => {
  const tickets = new Tickets();
  const { ticket } = tickets.issue(1, '/', start);
  tickets.issue(1, '/', start + 10 * minute - 1);
  expect(tickets.open(digestOf(ticket), 1, start + 10 * minute)).toEqual({ problem: 'expired' });
  tickets.issue(1, '/', start + 10 * minute);
  expect(tickets.open(digestOf(ticket), 1, start + 10 * minute)).toEqual({ problem: 'unknown' });
});

test('at most 10,000 tickets wait, and those that nobody can open make room', () => {
  const tickets = new Tickets();
  const issued = Array.from({ length: 10_000 }, () => tickets.issue(1, '/', start).ticket);
  expect(() => tickets.issue(1, '/', start)).toThrow('10000 tickets wait to be opened: try again in a minute');
  expect(tickets.open(digestOf(issued[5000]), 1, start)).toEqual({ path: '/' });
  tickets.issue(1, '/', start);
  expect(() => tickets.issue(1, '/', start)).toThrow('try again');
  expect(tickets.open(digestOf(issued[0]), 1, start)).toEqual({ path: '/' });
  for (let i = 0; i < 20; i++) tickets.issue(1, '/', start + minute);
});
