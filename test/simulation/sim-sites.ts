import type { CheckRunner } from '../../src/checker/runs/check-runner.ts';
import type { Prober } from '../../src/checker/probe/prober.ts';
import type { AcceptedRun } from '../../src/domain/verdict/recent-runs.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import type { MadeRun } from '../../src/observations/runs/run-store.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

const ERROR = { status: 'error', rules: ['own status eq 0'], failures: ['expected status 200, got 500'] } as const;

/** Sites that answer after a while, and now and then fail; they notice when they are asked twice at a time. */
export class SimSites {
  /** Of every answer that fails by itself. */
  flakiness = 0.02;
  private readonly down = new Set<string>();
  private readonly poisoned = new Set<string>();
  private readonly asked = new Map<string, Machine>();

  constructor(
    private readonly time: VirtualTime,
    private readonly random: () => number,
    private readonly broken: (what: string) => void,
  ) {}

  turn(checkId: string, down: boolean): void {
    if (down) this.down.add(checkId);
    else this.down.delete(checkId);
  }

  /** Its connections break. */
  gone(machine: Machine): void {
    for (const [checkId, by] of this.asked) if (by === machine) this.asked.delete(checkId);
  }

  /** Every run of it ends in an error of ours that nobody foresaw. */
  poison(checkId: string, poisoned: boolean): void {
    if (poisoned) this.poisoned.add(checkId);
    else this.poisoned.delete(checkId);
  }

  /** The url of a project ends with its id. */
  proberOn(machine: Machine): Pick<Prober, 'fetch'> {
    return {
      fetch: async ({ url, signal }) => {
        const key = url.slice(url.lastIndexOf('/') + 1);
        const journey = { url, hops: [], certificate: null, address: null };
        const milliseconds = 30 + Math.floor(this.random() ** 4 * 3_000);
        await machine.sleep(milliseconds, signal);
        const phases = { dns: 0, connect: 0, tls: 0, request: 0, wait: milliseconds, download: 0, total: milliseconds };
        if (signal?.aborted === true || this.random() < 1 / 1_000) return { ...journey, phases, kind: 'own', reason: 'no file handles' };
        if (this.down.has(key))
          return { ...journey, phases, kind: 'failed', code: 'connection', during: 'connect', reason: 'the connection was refused' };
        const answer = {
          httpVersion: '1.1',
          status: 200,
          statusText: 'OK',
          headers: [],
          body: Buffer.alloc(0),
          size: 0,
          cut: false,
        } as const;
        return { ...journey, phases, kind: 'answered', ...answer };
      },
    };
  }

  runnerOn(machine: Machine): Pick<CheckRunner, 'run'> {
    return {
      run: async (_plan, check, { jobId, confirming, signal }) => {
        if (jobId !== null && this.poisoned.has(check.id)) throw new Error('poison: the machine is gone');
        const at = machine.now();
        const other = this.asked.get(check.id);
        if (other !== undefined) this.broken(`${machine.name} looked at ${check.id} while ${other.name} did`);
        this.asked.set(check.id, machine);
        const milliseconds = 30 + Math.floor(this.random() ** 4 * 4_000);
        const failing = this.down.has(check.id) || this.random() < this.flakiness ? ERROR : null;
        const own = this.random() < 1 / 500;
        // The site is done with it whatever became of who asked.
        const answered = this.time.after(milliseconds, () => {
          if (this.asked.get(check.id) === machine) this.asked.delete(check.id);
        });
        await machine.sleep(milliseconds, signal);
        if (signal?.aborted === true && machine.alive) {
          answered();
          if (this.asked.get(check.id) === machine) this.asked.delete(check.id);
        }
        if (own || signal?.aborted === true) return { kind: 'own', reason: 'no file handles' };
        const { made, accepted } = runOf(check.id, at, milliseconds, failing, { jobId, confirming });
        return { kind: 'made', made, accepted, answer: null };
      },
    };
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
    ...{
      dns: 0,
      connect: 0,
      tls: 0,
      request: 0,
      waiting: 0,
      download: 0,
      total: milliseconds,
      size: 0,
      page: null,
      latest: true,
      whole: { status: failing?.status ?? 'ok' },
    },
  };
  return { made, accepted: { at, failing, evidence } };
}
