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
    for (const dataText of [JSON.stringify(event.data), null]) expect(eventLine({ event, dataText }, 'A "name"', 'said')).toBe(wanted);
  }
});

it('hides secrets at any depth, and copies nothing else', () => {
  const secret = { subject: 'project', sealed: 'c2VhbGVk' };
  expect(withoutSecrets({ a: [{ b: secret }, 1], c: null })).toEqual({ a: [{ b: '(hidden)' }, 1], c: null });
  expect(withoutSecrets(secret)).toBe('(hidden)');
  const plain = { a: [{ b: 1 }], c: null };
  expect(withoutSecrets(plain)).toBe(plain);
  expect(events.some(({ data }) => withoutSecrets(data) !== data)).toBe(true);
});
