/** An accepted answer of a site. */
export interface Seen {
  /** When it was accepted. */
  readonly at: number;
  /** The clock of the checking machine at the start of the run. */
  readonly clock: number;
  readonly failing: boolean;
}

/** All accepted observations in order of acceptance, the basis of verdicts. */
export class Evidence {
  private readonly seen = new Map<string, Seen[]>();
  private readonly progress = new Map<string, number[]>();

  /** `subject`: a check, or a project whose site was probed. */
  accepted(subject: string, seen: Seen, jobId: string | null = null): void {
    const all = this.seen.get(subject);
    if (all === undefined) this.seen.set(subject, [seen]);
    else all.push(seen);
    if (jobId === null) return;
    const results = this.progress.get(jobId);
    if (results === undefined) this.progress.set(jobId, [seen.at]);
    else results.push(seen.at);
  }

  of(subject: string): readonly Seen[] {
    return this.seen.get(subject) ?? [];
  }

  /** When the results of a job came. */
  resultsOf(jobId: string): readonly number[] {
    return this.progress.get(jobId) ?? [];
  }
}
