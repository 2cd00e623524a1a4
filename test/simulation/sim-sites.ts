import type { CheckRunner } from '../../src/checker/runs/check-runner.ts';
import type { AcceptedRun } from '../../src/checker/verdicts/recent-runs.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import type { MadeRun } from '../../src/platform/observations/runs/run-store.ts';
import { noExchange } from '../support/no-evidence.ts';
import { ANSWERED } from '../support/probe-outcomes.ts';
import { NO_PHASES } from '../../src/checker/probe/outcome.ts';
import type { MutualExclusion } from './invariants/mutual-exclusion.ts';
import { type SiteFault, SiteTruth } from './site-truth.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

const ERROR = { status: 'error', rules: ['own status eq 0'], failures: ['expected status 200, got 500'] } as const;
const LATE = { status: 'timeout', rules: ['timeout'], failures: ['no answer within 10 s'] } as const;
const SLOW_MS = 20_000;
const INCONCLUSIVE_SHARE = 1 / 500;

/** Pages that answer after a delay and sometimes fail; they detect concurrent runs of a check. */
export class SimSites {
  readonly truth = new SiteTruth();
  /** The share of answers that fail at random. */
  flakiness = 0.02;
  /** Pages and sites that never fail at random. */
  readonly steady = new Set<string>();
  /** Pages that take long to answer. */
  readonly slow = new Set<string>();
  private readonly poisoned = new Set<string>();
  private readonly asked = new Map<string, Machine>();

  constructor(
    readonly time: VirtualTime,
    readonly random: () => number,
    private readonly oneAtATime: MutualExclusion,
    private readonly broken: (what: string) => void,
  ) {}

  turn(id: string, ailment: SiteFault | null): void {
    this.truth.turn(id, this.time.now, ailment);
  }

  /** Its connections break. */
  machineStopped(machine: Machine): void {
    for (const [checkId, by] of this.asked) if (by === machine) this.asked.delete(checkId);
  }

  /** Makes every run of it throw an unexpected internal error. */
  poison(checkId: string, poisoned: boolean): void {
    if (poisoned) this.poisoned.add(checkId);
    else this.poisoned.delete(checkId);
  }

  runnerOn(machine: Machine): Pick<CheckRunner, 'run'> {
    return {
      run: async (_plan, check, { jobId, confirming, signal }) => {
        if (jobId !== null && this.poisoned.has(check.id)) throw new Error('poison: the machine was stopped');
        const at = machine.now();
        this.oneAtATime.begun(machine, check.id);
        const other = this.asked.get(check.id);
        if (other !== undefined) this.broken(`${machine.name} ran ${check.id} while ${other.name} did`);
        this.asked.set(check.id, machine);
        const milliseconds = this.slow.has(check.id) ? SLOW_MS : 30 + Math.floor(this.random() ** 4 * 4_000);
        const failing = this.failingOf(check.id);
        const isInconclusive = this.random() < INCONCLUSIVE_SHARE;
        // The site answers even when the client disconnected.
        const answered = this.time.after(milliseconds, () => {
          if (this.asked.get(check.id) === machine) this.asked.delete(check.id);
        });
        await machine.sleep(milliseconds, signal);
        if (signal?.aborted === true && machine.alive) {
          answered();
          if (this.asked.get(check.id) === machine) this.asked.delete(check.id);
        }
        if (isInconclusive || signal?.aborted === true) {
          this.truth.recordInconclusive(check.id, this.time.now);
          this.oneAtATime.over(machine, check.id);
          return { kind: 'inconclusive', reason: 'no file handles' };
        }
        const { made, accepted } = runOf(check.id, at, milliseconds, failing, { jobId, confirming });
        const outcome = { url: 'https://example.com/', hops: [], phases: NO_PHASES, certificate: null, address: null, ...ANSWERED };
        return { kind: 'made', made, accepted, outcome, answer: null, exchange: noExchange };
      },
    };
  }

  private failingOf(checkId: string): AcceptedRun['failing'] {
    const ailment = this.truth.ailment(checkId);
    if (ailment === 'refused') return ERROR;
    if (ailment === 'silent') return LATE;
    if (this.steady.has(checkId) || this.random() >= this.flakiness) return null;
    this.truth.stumbled(checkId, this.time.now);
    return ERROR;
  }
}

function runOf(
  checkId: string,
  at: number,
  milliseconds: number,
  failing: AcceptedRun['failing'],
  { jobId, confirming }: { readonly jobId: string | null; readonly confirming: boolean },
): { readonly made: MadeRun; readonly accepted: AcceptedRun } {
  const evidence = {
    ...{ runId: derivedId('run', checkId, at), url: 'https://site.example/', at: new Date(at).toISOString(), location: 'eu' },
    ...{ httpStatus: failing === null ? 200 : 500, milliseconds, page: null },
  };
  const made: MadeRun = {
    ...{
      at,
      checkId,
      outcome: failing?.status ?? 'ok',
      confirming,
      jobId,
      httpStatus: evidence.httpStatus,
      failures: failing?.failures ?? [],
    },
    ...{ dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: milliseconds, size: 0 },
    ...{ page: null, latest: true, whole: { status: failing?.status ?? 'ok' }, requested: 'aa', ends: null },
  };
  return { made, accepted: { at, failing, evidence } };
}
