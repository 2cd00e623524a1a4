import type { FencingToken, ObservationFences } from '../../src/platform/observations/fences.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

/** Of ten fences one is raised late. */
const LATE = 0.1;
const LATEST_MS = 3_000;

/** The store of the observations beside the database: its fences, and the times in which it is away. */
export class SimFences {
  private readonly raised = new Map<string, number>();
  private awayUntil = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: () => number,
  ) {}

  leave(milliseconds: number): void {
    this.awayUntil = Math.max(this.awayUntil, this.time.now + milliseconds);
  }

  of(machine: Machine): Pick<ObservationFences, 'raise'> {
    return {
      raise: async (token) => {
        if (this.random() < LATE) await machine.sleep(this.random() * LATEST_MS);
        this.refuseUnreachable(machine);
        if (token.epoch < (this.raised.get(token.name) ?? 0)) throw new Error('the fence was raised above; the lease is away');
        this.raised.set(token.name, token.epoch);
      },
    };
  }

  holds(machine: Machine, { name, epoch }: FencingToken): boolean {
    this.refuseUnreachable(machine);
    return this.raised.get(name) === epoch;
  }

  refuseUnreachable(machine: Machine): void {
    if (!machine.reachesDatabase) throw new Error('the database is away');
    if (this.time.now < this.awayUntil) throw new Error('the observations are away');
  }
}
