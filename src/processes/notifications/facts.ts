/** What a message says of one cause. Kept with the intent: no names, which are looked up when it goes out, and no secrets. */
export interface Facts {
  readonly about: 'check' | 'uptime' | 'certificate' | 'redirect';
  readonly checkId?: string;
  readonly status: 'ok' | 'error' | 'timeout';
  readonly failures: readonly string[];
  /** Of the failure, also when this is its end. */
  readonly since: string;
  /** Of a recovery: when it was well again. */
  readonly until?: string;
  readonly url: string;
  readonly at: string;
  readonly location: string;
  readonly milliseconds?: number;
}
