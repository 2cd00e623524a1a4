import { expect, it } from '@jest/globals';
import type { StoredEvent } from '../platform/event-store/lazy-event.ts';
import { KnownNames, type NamesReader } from './names-reader.ts';
import { eventLines } from './present-events.ts';

const META = JSON.stringify({
  actor: { kind: 'cli', id: 'x' },
  ...{ correlationId: 'c', causationId: null, commandId: 'd', occurredAt: '2026-11-27T12:00:00.000Z' },
});

const stored = (n: number): StoredEvent => ({
  envelope: {
    ...{ n, id: `event-${String(n)}`, scope: 'system', stream: 's', revision: n, type: 'Unknown', version: 1 },
    recordedAt: '2026-11-27T12:00:00.000000Z',
  },
  data: JSON.stringify({ text: 'x'.repeat(n % 3 === 0 ? 2_000 : 100) }),
  meta: META,
});

// Cast: names are read from views, which these events do not need.
const names = { read: () => Promise.resolve({ actor: () => null, check: String, area: String, user: String }) } as unknown as NamesReader;

it('writes each event once, in order, in chunks of whole lines that exceed 32,768 characters by no more than a line', async () => {
  const events = Array.from({ length: 450 }, (_, n) => stored(n));
  const chunks: string[] = [];
  for await (const chunk of eventLines(names, events, new KnownNames())) chunks.push(chunk);
  expect(chunks.every((chunk) => chunk.endsWith('\n') && chunk.length < 32_768 + 3_000)).toBe(true);
  const lines = chunks.join('').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { readonly id: string }).id)).toEqual(events.map(({ envelope }) => envelope.id));
});
