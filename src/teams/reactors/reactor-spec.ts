import { deepStrictEqual } from 'node:assert/strict';
import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { SpecEvent } from '../../platform/read-models/testing/projection-spec.ts';
import { EffectIds } from '../worker/effects/effect-ids.ts';
import { EffectsUnderWay } from '../worker/effects/effects-under-way.ts';
import { RecordedEffects } from '../worker/effects/recorded-effects.ts';
import type { Reactor } from './define-reactor.ts';

type Effect = Readonly<Record<'kind' | 'summary', string>> & { readonly body: string | null };

/** For tests: the effects that a reactor makes of events, without making them. */
export const reactorSpec = (reactor: Reactor) => ({
  given: (events: readonly SpecEvent[]) => ({
    /** In the order of the events; a body as it is sent. */
    thenEffects: async (expected: readonly Effect[]): Promise<void> => {
      const found: Effect[] = [];
      for (const [n, event] of events.entries()) {
        if (!reactor.handles.has(event.type)) continue;
        const id = derivedId('spec', n);
        const recording = new RecordedEffects(new EffectIds(reactor.name, id));
        await new EffectsUnderWay(recording).run((effects) => reactor.react(logEventOf(event, n, id), effects));
        found.push(...recording.recorded.map(({ kind, summary, body }) => ({ kind, summary, body })));
      }
      deepStrictEqual(found, expected);
    },
  }),
});

function logEventOf({ scope, type, data, occurredAt = '2026-01-01T00:00:00.000Z' }: SpecEvent, n: number, id: string): LogEvent {
  const meta = { actor: { kind: 'user', id: '1' }, correlationId: id, causationId: null, commandId: id, occurredAt } as const;
  return { n, id, stream: scope, revision: n, type, version: 1, scope, recordedAt: occurredAt, data, meta };
}
