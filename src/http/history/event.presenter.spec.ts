import { expect, it } from '@jest/globals';
import { samples } from '../../../test/samples/samples.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { eventLine, presentEvent, withoutSecrets } from './event.presenter.ts';

const meta = { correlationId: 'c', causationId: null, commandId: 'd', occurredAt: '2026-03-01T10:00:00.000Z' };
const events = Object.entries(samples('5f0c')).map(([type, data], n): LogEvent => {
  const actor = { kind: 'token', id: '7', tokenId: 't' } as const;
  return {
    n,
    id: `id-${String(n)}`,
    type,
    version: 1,
    scope: 's',
    stream: 's',
    revision: n,
    recordedAt: 'now',
    data,
    meta: { ...meta, actor },
  };
});

it('writes every event as the line that its presented form is', () => {
  for (const event of events) {
    const wanted = `${JSON.stringify(presentEvent(event, 'A "name"', 'said'))}\n`;
    expect(eventLine(event, JSON.stringify(event.data), 'A "name"', 'said')).toBe(wanted);
  }
});

it('writes what the meta data of an event holds as JSON has it', () => {
  const odd = 'a "quote", a \\, a line\nfeed, \u2028, é';
  const actor = { kind: 'service', id: odd, name: odd, tokenId: odd } as const;
  const apply = { plan: odd, files: [odd] };
  const event: LogEvent = {
    ...{ n: 7, id: 'id', type: 'T', version: 1, scope: 's', stream: 's', revision: 0, recordedAt: 'now', data: { a: odd } },
    meta: { actor, correlationId: odd, causationId: odd, commandId: odd, occurredAt: odd, apply },
  };
  const line = eventLine(event, JSON.stringify(event.data), odd, odd);
  expect(line).toBe(`${JSON.stringify(presentEvent(event, odd, odd))}\n`);
});

it('hides a secret whose text spells its key with an escape', () => {
  const [first] = events;
  if (first === undefined) throw new Error('there are samples');
  const dataText = '{"secret":{"\\u0073ealed":"c2VhbGVk","subject":"project"}}';
  const event = { ...first, data: JSON.parse(dataText) as object };
  expect(eventLine(event, dataText, null, 'said')).toContain('"data":{"secret":"(hidden)"}');
});

it('hides secrets at any depth, and copies nothing else', () => {
  const secret = { subject: 'project', sealed: 'c2VhbGVk' };
  expect(withoutSecrets({ a: [{ b: secret }, 1], c: null })).toEqual({ a: [{ b: '(hidden)' }, 1], c: null });
  expect(withoutSecrets(secret)).toBe('(hidden)');
  const plain = { a: [{ b: 1 }], c: null };
  expect(withoutSecrets(plain)).toBe(plain);
  expect(events.some(({ data }) => withoutSecrets(data) !== data)).toBe(true);
});
