import { afterEach, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { samples } from '../../test/samples/samples.ts';
import { systemContext } from '../platform/commands/context.ts';
import { toNewEvents } from '../platform/commands/new-events.ts';
import type { Actor, EventMeta, LogEvent } from '../kernel/event.ts';
import { eventLine, lineEvent } from './present-events.ts';
import { presentEvent } from './event.presenter.ts';

const envelope = { n: 7, recordedAt: 'now', id: 'id', stream: 's', revision: 3, type: 'T', version: 1, scope: 's' };
const plainMeta: EventMeta = {
  actor: { kind: 'token', id: '7', tokenId: 't' },
  ...{ correlationId: 'c', causationId: null, commandId: 'd', occurredAt: '2026-03-01T10:00:00.000Z' },
};

const lineOf = (data: string, meta: string, name: string | null, summary: string): string =>
  eventLine(lineEvent({ envelope, data, meta }), name, summary);

const presented = (event: Pick<LogEvent, 'data' | 'meta'>, name: string | null, summary: string): string =>
  `${JSON.stringify(presentEvent({ ...envelope, ...event }, name, summary))}\n`;

afterEach(() => {
  jest.restoreAllMocks();
});

it('writes every event as the line that its presented form is', () => {
  for (const data of Object.values(samples('5f0c')))
    expect(lineOf(JSON.stringify(data), JSON.stringify(plainMeta), 'A "name"', 'said')).toBe(
      presented({ data, meta: plainMeta }, 'A "name"', 'said'),
    );
});

it('writes what the meta data of an event holds as JSON has it', () => {
  const odd = ['', 'a "quote", a \\, a line\nfeed, \u2028, é', '","id":"', '"},"commandId":"x', '\\u0041', '\ud800', '{}', 'null'];
  const text = fc.oneof(fc.constantFrom('eu', '7', '0b4c-1f', ...odd), fc.string({ unit: 'binary', maxLength: 6 }));
  const kinds: readonly Actor['kind'][] = ['user', 'token', 'service', 'checker', 'scheduler', 'reactor', 'cli'];
  const metas = fc.record(
    {
      actor: fc.record({ kind: fc.constantFrom(...kinds), id: text, tokenId: text, name: text }, { requiredKeys: ['kind', 'id'] }),
      ...{ correlationId: text, causationId: fc.option(text), commandId: text, occurredAt: text },
      ...{ requestHash: text, traceparent: text, apply: fc.record({ plan: text, files: fc.array(text, { maxLength: 2 }) }) },
    },
    { requiredKeys: ['actor', 'correlationId', 'causationId', 'commandId', 'occurredAt'] },
  );
  fc.assert(
    fc.property(metas, fc.option(text), text, (meta, name, summary) => {
      const event = { data: { a: summary }, meta };
      expect(lineOf(JSON.stringify(event.data), JSON.stringify(meta), name, summary)).toBe(presented(event, name, summary));
    }),
    { numRuns: 500 },
  );
});

it('parses no meta data that commands write for a person, a token or a part of the service', () => {
  const actors: readonly Actor[] = [
    { kind: 'user', id: '7' },
    { kind: 'token', id: '7', tokenId: '8d1c' },
    { kind: 'checker', id: 'eu' },
  ];
  const request = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', requestHash: 'a0'.repeat(32) };
  const metas = actors.flatMap((actor) =>
    [{}, request].flatMap((given) =>
      toNewEvents(
        { stream: 's', scope: 's' },
        [
          { type: 'T', data: {} },
          { type: 'T', data: {} },
        ],
        'no stream',
        { ...systemContext(actor, 0), ...given },
      ).map(({ meta }) => JSON.stringify(meta)),
    ),
  );
  const parse = jest.spyOn(JSON, 'parse');
  for (const meta of metas) lineEvent({ envelope, data: '{}', meta });
  expect(parse.mock.calls.map(([text]) => text)).toEqual(metas.map(() => '{}'));
});

it('names an event whose meta data is not JSON', () => {
  const { actor, ...rest } = plainMeta;
  const odd = [`{"actor":`, `${JSON.stringify(plainMeta)},{}`, JSON.stringify({ actor, ...rest }).replace('"7"', '"7')];
  for (const meta of odd) expect(() => lineOf('{}', meta, null, '')).toThrow('event 7 of the log is damaged: its text is not JSON');
});

it('hides a secret whose text spells its key with an escape', () => {
  const data = '{"secret":{"\\u0073ealed":"c2VhbGVk","subject":"project"}}';
  expect(lineOf(data, JSON.stringify(plainMeta), null, 'said')).toContain('"data":{"secret":"(hidden)"}');
});
