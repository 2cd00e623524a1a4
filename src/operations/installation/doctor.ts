/** What `watchledger doctor` finds on the instance that answers. */
export interface Examination {
  readonly examinedAt: number;
  readonly findings: readonly {
    readonly name: string;
    readonly state: 'ok' | 'warn' | 'fail';
    readonly found: string;
    readonly advice?: string;
  }[];
}

/** Port of the doctor. */
export type Doctor = () => Promise<Examination>;

/** Injection token. */
export const DOCTOR = Symbol('Doctor');
