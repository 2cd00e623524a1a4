import { StateHistory, type StatePeriod } from './state-history.ts';

/** `refused`: it answers nothing, `silent`: not in time, `fickle`: now and then. */
export type SiteFault = 'refused' | 'silent' | 'fickle';

export interface ServedCertificate {
  readonly fingerprint: string;
  readonly validFrom: number;
  readonly validTo: number;
}

export type Redirecting = 'ok' | 'failed' | 'unreachable';

/** What the watches check periodically. */
export type LookedAt = 'certificate' | 'redirect';

/** A watch that got a result; `seen`: the site answered. */
export interface LookMade {
  readonly at: number;
  readonly seen: boolean;
}

/** The true state of the sites: of checks by their id, of sites by their project. */
export class SiteTruth {
  readonly certificates = new Map<string, StateHistory<ServedCertificate>>();
  readonly redirects = new Map<string, StateHistory<Redirecting>>();
  private readonly health = new Map<string, StateHistory<SiteFault | null>>();
  /** Single failed answers without an outage. */
  private readonly stumbles = new Map<string, number[]>();
  private readonly looks = new Map<string, LookMade[]>();
  /** Checks without a result because of an internal error. */
  private readonly inconclusive = new Map<string, number[]>();

  turn(id: string, at: number, ailment: SiteFault | null): void {
    const course = this.health.get(id);
    if (course === undefined) this.health.set(id, new StateHistory(at, ailment));
    else course.turn(at, ailment);
  }

  ailment(id: string): SiteFault | null {
    return this.health.get(id)?.state ?? null;
  }

  /** Times in which every answer failed. */
  outages(id: string, end: number): readonly StatePeriod<SiteFault | null>[] {
    return (this.health.get(id)?.spells(end) ?? []).filter(({ state }) => state !== null && state !== 'fickle');
  }

  stumbled(id: string, at: number): void {
    noted(this.stumbles, id, at);
  }

  looked(kind: LookedAt, id: string, look: LookMade): void {
    noted(this.looks, `${kind} ${id}`, look);
  }

  /** In their order. */
  looksAt(kind: LookedAt, id: string): readonly LookMade[] {
    return this.looks.get(`${kind} ${id}`) ?? [];
  }

  recordInconclusive(id: string, at: number): void {
    noted(this.inconclusive, id, at);
  }

  /** The number of inconclusive runs within a period. */
  inconclusiveBetween(id: string, from: number, to: number): number {
    return (this.inconclusive.get(id) ?? []).filter((at) => at >= from && at <= to).length;
  }

  stumblesBetween(id: string, from: number, to: number): number {
    return (this.stumbles.get(id) ?? []).filter((at) => at >= from && at <= to).length;
  }

  /** Whether no answer ever failed. */
  wasAlwaysWell(id: string): boolean {
    return !this.stumbles.has(id) && (this.health.get(id)?.spells(Infinity) ?? []).every(({ state }) => state === null);
  }
}

function noted<Note>(notes: Map<string, Note[]>, id: string, note: Note): void {
  const known = notes.get(id);
  if (known === undefined) notes.set(id, [note]);
  else known.push(note);
}
