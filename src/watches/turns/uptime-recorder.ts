import { systemContext } from '../../platform/commands/context.ts';
import type { Commands } from '../../platform/commands/command-of.ts';
import { RecordProbes } from '../observation.commands.ts';
import { LOOK_BACK } from '../../checker/instability.ts';
import type { ProbeOutcome } from '../../platform/observations/samples/probe-outcome.ts';
import { type AcceptedProbe, noRecentProbes, type RecentProbes } from '../uptime/recent-probes.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Tail } from '../../platform/observations/packs/pack-tail.ts';
import type { SampleOutcome } from '../../platform/observations/samples/sample.ts';
import type { SampleStore } from '../../platform/observations/samples/sample-store.ts';
import type { Decisiveness } from '../../checker/evidence/keep-evidence.ts';

export interface UptimeRecorderOptions {
  readonly commands: Commands;
  readonly samples: Pick<SampleStore, 'outcomes'>;
  readonly clock: Clock;
}

export type UptimeTail = Promise<Tail<SampleOutcome> | null>;

export interface ProbeOfProject {
  readonly projectId: string;
  readonly probe: AcceptedProbe;
  readonly confirming: boolean;
  /** W3C Trace Context of the probe, where it was traced. */
  readonly traceparent?: string | undefined;
}

export interface RecordedProbe {
  readonly changed: boolean;
  /** A second probe has to confirm this one. */
  readonly needsConfirmation: boolean;
}

/** Decides the uptime of a site from accepted probes. Recent probes of other processes are read from the store first, so that all decide alike. */
export class UptimeRecorder {
  private readonly recent = new Map<string, RecentProbes>();
  /** By project that was just taken over. */
  private readonly tails = new Map<string, UptimeTail>();

  constructor(private readonly options: UptimeRecorderOptions) {}

  /** The last probe of this process found the site up. */
  isUp(projectId: string): boolean {
    return this.recent.get(projectId)?.previous?.outcome === 'up';
  }

  /** Whether a probe may end in an event about the uptime: as far as the probes before it show. */
  decisiveness(projectId: string, outcome: ProbeOutcome): Decisiveness {
    const recent = this.recent.get(projectId);
    const previous = recent?.previous?.outcome;
    if (outcome === 'up') return previous === undefined ? 'unknown' : previous === 'up' ? 'no' : 'likely';
    return previous !== outcome || recent?.open === true ? 'likely' : 'unknown';
  }

  async record({ projectId, probe, confirming, traceparent }: ProbeOfProject): Promise<RecordedProbe> {
    const recent = this.recent.get(projectId) ?? (await this.catchUp(projectId, probe));
    const {
      uptime,
      changed,
      recent: next,
    } = await this.options.commands.execute(
      new RecordProbes(this.context(projectId, probe, traceparent), { recent, probes: [probe], origin: { projectId, confirming } }),
    );
    this.recent.set(projectId, next);
    return { changed, needsConfirmation: next.open && uptime.standing.kind !== 'down' };
  }

  /** When a shard was taken over: the probes before, which are read for all projects at once; null if that failed. */
  begin(projectIds: readonly string[], tail: UptimeTail): void {
    for (const projectId of projectIds) {
      this.forget(projectId);
      this.tails.set(projectId, tail);
    }
  }

  /** When the project moves to another checker, or the state of the store is unknown. */
  forget(projectId: string): void {
    this.recent.delete(projectId);
    this.tails.delete(projectId);
  }

  private async catchUp(projectId: string, probe: AcceptedProbe): Promise<RecentProbes> {
    const outcomes = await this.outcomesBefore(projectId, probe.at);
    const probes = outcomes.map((outcome) => acceptedOf(outcome, probe));
    const last = probes.at(-1);
    if (last === undefined) return noRecentProbes;
    const { recent } = await this.options.commands.execute(
      new RecordProbes(this.context(projectId, last), {
        recent: noRecentProbes,
        probes,
        origin: { projectId, confirming: false },
        catchingUp: true,
      }),
    );
    return recent;
  }

  /** The tail lacks only what this process has stored since, of which this is the first probe. */
  private async outcomesBefore(projectId: string, at: number): Promise<readonly SampleOutcome[]> {
    const tail = await this.tails.get(projectId);
    this.tails.delete(projectId);
    if (tail == null) return this.options.samples.outcomes(projectId, at - LOOK_BACK, at);
    const outcomes = tail.between(projectId, at - LOOK_BACK, at);
    tail.forget(projectId);
    return outcomes;
  }

  private context(projectId: string, { at, evidence }: AcceptedProbe, traceparent?: string) {
    const actor = { kind: 'checker', id: evidence.location } as const;
    return systemContext(actor, this.options.clock.now(), {
      commandId: derivedId('probe', projectId, at),
      repeat: false,
      ...(traceparent !== undefined && { traceparent }),
    });
  }
}

/** A stored outcome with as much evidence as the fold needs. */
const acceptedOf = ({ at, outcome, periodSeconds, httpStatus, reason }: SampleOutcome, { evidence }: AcceptedProbe): AcceptedProbe => ({
  at,
  outcome,
  periodSeconds,
  evidence: {
    ...evidence,
    at: new Date(at).toISOString(),
    outcome,
    httpStatus: httpStatus === 0 ? null : httpStatus,
    reason,
    milliseconds: 0,
  },
});
