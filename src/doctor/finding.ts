export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (name: string, found: string): Finding => ({ name, state: 'ok', found });
export const warn = (name: string, found: string, advice: string): Finding => ({ name, state: 'warn', found, advice });
export const fail = (name: string, found: string, advice: string): Finding => ({ name, state: 'fail', found, advice });
