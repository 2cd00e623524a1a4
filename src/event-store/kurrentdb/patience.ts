/** Our own timer over a call of the client: some of them never settle, whatever deadline they were given. */
export class NoAnswer extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${String(milliseconds)} ms`);
    this.name = 'NoAnswer';
  }
}

export function within<T>(milliseconds: number, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NoAnswer(milliseconds));
    }, milliseconds);
    // Both handlers stay on the call, so that what it answers after the timer is dropped in silence.
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

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Doubles from try to try, with a spread, so that many clients of one server do not come back in one wave. */
export class BackOff {
  private next: number;

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {
    this.next = first;
  }

  reset(): void {
    this.next = this.first;
  }

  async wait(signal?: AbortSignal): Promise<void> {
    const milliseconds = this.next * (0.75 + Math.random() / 2);
    this.next = Math.min(this.next * 2, this.longest);
    await pause(milliseconds, signal);
  }
}
