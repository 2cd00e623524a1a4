import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { NoAnswer } from '../../../client/api-error.ts';
import type { FailedAttempt } from '../../../client/transport.ts';
import { ServerContact } from './connect.ts';

const NOON = new Date(2026, 10, 27, 12).getTime();
const refused: FailedAttempt = {
  error: new NoAnswer(
    'POST /projects/plan',
    'network',
    new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') }),
  ),
  waitMs: 1_000,
  leftMs: 25_000,
};

/** What is written, and a clock that stands at so many milliseconds after noon. */
function contactWith(address: string): { contact: ServerContact; written: string[]; at: (ms: number) => void } {
  const written: string[] = [];
  let time = NOON;
  const contact = new ServerContact(address, { write: (text) => written.push(text) }, () => time);
  return { contact, written, at: (ms) => (time = NOON + ms) };
}

it('names a server that refuses at once, and gives up where the next attempt would be later than 5 s after the first', () => {
  const { contact, written, at } = contactWith('http://127.0.0.1:9');
  expect(contact.beforeRepeat(refused)).toBe(true);
  at(3_900);
  expect(contact.beforeRepeat(refused)).toBe(true);
  at(4_100);
  expect(contact.beforeRepeat(refused)).toBe(false);
  expect(written).toEqual([
    'watchledger: cannot reach http://127.0.0.1:9 (connect ECONNREFUSED 127.0.0.1:9); trying again until 12:00:05\n',
  ]);
});

it('is patient with a server that has answered, and reports each time that it is away', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const { contact, written, at } = contactWith(address);
  for (const ms of [0, 60_000]) {
    await contact.fetch(address);
    at(ms);
    for (const attempt of [refused, refused]) expect(contact.beforeRepeat(attempt)).toBe(true);
  }
  server.close();
  server.closeAllConnections();
  const line = (until: string): string =>
    `watchledger: cannot reach ${address} (connect ECONNREFUSED 127.0.0.1:9); trying again until ${until}\n`;
  expect(written).toEqual([line('12:00:25'), line('12:01:25')]);
});
