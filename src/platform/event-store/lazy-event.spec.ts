import { inspect } from 'node:util';
import { expect, it } from '@jest/globals';
import type { EventMeta, LogEvent } from '../../kernel/event.ts';
import { withLazyContent } from './lazy-event.ts';

const data = { checkId: 'a', evidence: { at: '2026-03-01T12:00:00.000Z', places: [1, 2] } };
const meta: EventMeta = {
  actor: { kind: 'checker', id: 'eu' },
  ...{ correlationId: 'c', causationId: null, commandId: 'd', occurredAt: '2026-03-01T12:00:00.000Z' },
};
const envelope = { n: 7, recordedAt: 'now', id: 'id', stream: 's', revision: 3, type: 'CheckFailed', version: 1, scope: 'project-a' };
const parsed: LogEvent = { ...envelope, data, meta };
const lazy = (): LogEvent => withLazyContent({ envelope: { ...envelope }, data: JSON.stringify(data), meta: JSON.stringify(meta) });

it('is as a parsed event to what compares, copies or writes it', () => {
  expect(lazy()).toStrictEqual(parsed);
  expect({ ...lazy() }).toStrictEqual(parsed);
  expect({ ...lazy(), version: 2 }).toStrictEqual({ ...parsed, version: 2 });
  expect(Object.assign({}, lazy())).toStrictEqual(parsed);
  expect(structuredClone(lazy())).toStrictEqual(parsed);
  expect(JSON.stringify(lazy())).toBe(JSON.stringify(parsed));
  expect(inspect(lazy())).toBe(inspect(parsed));
  expect(Object.keys(lazy())).toEqual(Object.keys(parsed));
  expect(Object.getOwnPropertyNames(lazy())).toEqual(Object.getOwnPropertyNames(parsed));
  expect(Object.entries(lazy())).toEqual(Object.entries(parsed));
  expect(Object.getPrototypeOf(lazy())).toBe(Object.prototype);
  expect(Object.isFrozen(lazy())).toBe(Object.isFrozen(parsed));
  const { data: taken, ...rest } = lazy();
  expect([taken, rest]).toStrictEqual([data, { ...envelope, meta }]);
});

it('answers the same object at each look, and takes assignments as a literal does', () => {
  const event = lazy();
  expect(event.data).toBe(event.data);
  expect(event.meta).toBe(event.meta);
  const changed = Object.assign(event, { data: { other: true } });
  expect(changed).toStrictEqual({ ...parsed, data: { other: true } });
  expect(Reflect.deleteProperty(changed, 'meta')).toBe(true);
  expect(changed).toStrictEqual({ ...envelope, data: { other: true } });
});

it('parses only what is looked at, and names an event whose text is not JSON', () => {
  const event = withLazyContent({ envelope: { ...envelope }, data: JSON.stringify(data), meta: '{"actor":' });
  expect(event.data).toStrictEqual(data);
  expect(() => event.meta).toThrow('event 7 of the log is damaged: its text is not JSON');
});
