import type { Machine } from '../virtual-time.ts';

/** A machine runs a check exclusively until its verdict is written. Exclusion between machines is checked by the sites. */
export class MutualExclusion {
  private readonly underWay = new Map<string, Machine>();

  constructor(private readonly broken: (what: string) => void) {}

  begun(machine: Machine, checkId: string): void {
    if (this.underWay.has(keyOf(machine, checkId)))
      this.broken(`${machine.name} started a run of ${checkId} before the verdict of the previous one`);
    this.underWay.set(keyOf(machine, checkId), machine);
  }

  /** Given up, refused, or decided from. */
  over(machine: Machine, checkId: string): void {
    this.underWay.delete(keyOf(machine, checkId));
  }

  machineStopped(machine: Machine): void {
    for (const [key, by] of this.underWay) if (by === machine) this.underWay.delete(key);
  }
}

const keyOf = ({ name }: Machine, checkId: string): string => `${name} ${checkId}`;
