/** A row of the log table no longer holds what was written: its text is not one JSON value. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

export const damagedAt = (n: string, cause: unknown): LogDamaged =>
  new LogDamaged(`event ${n} of the log is damaged: its text is not JSON`, { cause });
