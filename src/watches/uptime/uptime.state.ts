import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { chainAfter, type EventChain, type EventMeta, type EventOf } from '../../kernel/event.ts';
import { countInstability, type Instability, openedInstability } from '../../checker/instability.ts';
import type { ProbeEvents } from '../../checker/probe.events.ts';
import type { UptimeFailure } from '../../platform/observations/samples/probe-outcome.ts';
import type { Evidence, UptimeEvents } from './uptime.events.ts';
import { projectStream, uptimeStream } from '../../kernel/stream-names.ts';

type Written = UptimeEvents & Pick<ProbeEvents, 'ProbeStarted'>;
export type UptimeEvent = EventOf<Written>;
/** An event that was read back also says which chain it belongs to. */
type ReadUptimeEvent = UptimeEvent & { readonly id?: string; readonly meta?: EventMeta };

export interface Suspicion {
  readonly since: string;
  readonly outcome: UptimeFailure;
  readonly evidence: Evidence;
  /** The chain that a confirming probe continues. */
  readonly chain: EventChain | null;
}

export type UptimeStanding =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly since: string; readonly outcome: UptimeFailure };

export interface Uptime {
  readonly standing: UptimeStanding;
  readonly suspicion: Suspicion | null;
  readonly instability: Instability | null;
  /** The last probe that changed something; probes accepted before it are decided. */
  readonly decidedUntil: string | null;
}

const initial: Uptime = { standing: { kind: 'unknown' }, suspicion: null, instability: null, decidedUntil: null };

function evolve(uptime: Uptime, event: ReadUptimeEvent): Uptime {
  switch (event.type) {
    case 'ProbeStarted':
      return { ...uptime, decidedUntil: event.data.startedAt };
    case 'UptimeBegan':
      return { ...uptime, standing: { kind: 'up' } };
    case 'UptimeSuspected': {
      const { since, outcome, evidence } = event.data;
      return { ...uptime, suspicion: { since, outcome, evidence, chain: chainAfter(event) } };
    }
    case 'UptimeSuspicionCleared':
      return { ...uptime, suspicion: null };
    case 'UptimeWentDown':
      return { ...uptime, suspicion: null, standing: { kind: 'down', since: event.data.since, outcome: event.data.outcome } };
    case 'UptimeFailureChanged':
      return uptime.standing.kind === 'down' ? { ...uptime, standing: { ...uptime.standing, outcome: event.data.to } } : uptime;
    case 'UptimeWentUp':
      return { ...uptime, standing: { kind: 'up' } };
    case 'UptimeInstabilityOpened':
      return { ...uptime, suspicion: null, instability: openedInstability(event.data.since) };
    case 'UptimeInstabilityCounted':
      return uptime.instability === null ? uptime : { ...uptime, instability: countInstability(uptime.instability, event.data) };
    case 'UptimeInstabilityClosed':
      return { ...uptime, instability: null };
    default:
      return ignoreUnknownEvent(event, uptime);
  }
}

export const uptime: Decider<Uptime, UptimeEvent> = { initial, evolve };

export const uptimeTarget = (projectId: string) => ({ stream: uptimeStream(projectId), scope: projectStream(projectId), decider: uptime });
