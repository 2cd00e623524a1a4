export interface Diagnosis {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** What `watchledger doctor` finds on the instance that answers. */
interface Examination {
  readonly examinedAt: number;
  readonly findings: readonly Diagnosis[];
}

/** Port of the doctor. */
export type Doctor = () => Promise<Examination>;

/** Injection token. */
export const DOCTOR = Symbol('Doctor');

export const ok = (name: string, found: string): Diagnosis => ({ name, state: 'ok', found });
export const warn = (name: string, found: string, advice: string): Diagnosis => ({ name, state: 'warn', found, advice });
export const fail = (name: string, found: string, advice: string): Diagnosis => ({ name, state: 'fail', found, advice });
