export interface KurrentDbTimeouts {
  /** One attempt of an append or a read; the server may still carry it out later. */
  readonly attemptMs: number;
  /** All attempts together; a cluster needs 2 to 6 s to elect a new leader. */
  readonly deadlineMs: number;
  /** After this long without an event a subscription compares its position with the head of the server. */
  readonly silenceMs: number;
  /** How long a server may lack the event at a subscription's position before it counts as another server. */
  readonly identityMs: number;
}

export const DEFAULT_TIMEOUTS: KurrentDbTimeouts = { attemptMs: 3_000, deadlineMs: 10_000, silenceMs: 5_000, identityMs: 15_000 };

export class CallTimedOut extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${String(milliseconds)} ms`);
    this.name = 'CallTimedOut';
  }
}

/** Our own timer over a call of the client, because some of them never settle, whatever deadline they are given. */
export function withTimeout<T>(milliseconds: number, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CallTimedOut(milliseconds));
    }, milliseconds);
    // Both handlers stay on the call, so that a rejection after the timeout is not unhandled.
    call.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
