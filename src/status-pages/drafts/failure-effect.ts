import { type LogEventOf, upcast } from '../../events.ts';
import { projectIdOf } from '../../kernel/stream-names.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** What an event means for the items of status pages. */
export interface FailureEffect {
  readonly kind: 'failing' | 'recovered' | 'ended';
  readonly projectId: string;
  /** Null: the site of the project. */
  readonly checkId: string | null;
  /** When it began, in words of the event. */
  readonly since: string;
}

type HandledType =
  | 'UptimeWentDown'
  | 'UptimeWentUp'
  | 'UptimePeriodChanged'
  | 'CheckFailed'
  | 'CheckRecovered'
  | 'CheckSwitched'
  | 'CheckDeleted';
type Effect = Omit<FailureEffect, 'projectId'>;

const handlers: { readonly [Type in HandledType]: (event: LogEventOf<Type>) => Effect | null } = {
  // What fails from its first measurement on was set up wrongly, or fails since before it was watched.
  UptimeWentDown: ({ data: { since, before } }) => (before === 'unknown' ? null : { kind: 'failing', checkId: null, since }),
  UptimeWentUp: ({ data: { since } }) => ({ kind: 'recovered', checkId: null, since }),
  UptimePeriodChanged: ({ data: { to }, recordedAt }) => (to === 'false' ? { kind: 'ended', checkId: null, since: recordedAt } : null),
  CheckFailed: ({ data: { checkId, since, confirmed } }) => (confirmed ? { kind: 'failing', checkId, since } : null),
  CheckRecovered: ({ data: { checkId, since } }) => ({ kind: 'recovered', checkId, since }),
  CheckSwitched: ({ data: { checkId, to }, recordedAt }) => (to ? null : { kind: 'ended', checkId, since: recordedAt }),
  CheckDeleted: ({ data: { checkId }, recordedAt }) => ({ kind: 'ended', checkId, since: recordedAt }),
};

/** Null: it means nothing, or cannot be read; the notifications report what cannot be read. */
export function failureEffectOf(event: LogEvent): FailureEffect | null {
  if (!Object.hasOwn(handlers, event.type)) return null;
  try {
    // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
    const handler = handlers[event.type as HandledType] as (event: LogEvent) => Effect | null;
    const effect = handler(upcast(event));
    return effect && { ...effect, projectId: projectIdOf(event.scope) };
  } catch {
    return null;
  }
}
