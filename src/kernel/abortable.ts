import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `milliseconds`, or as soon as the signal aborts; never rejects. Keeps the process alive, as a service with a single loop needs. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Repeats `step` until the signal aborts, pausing in between. `step` handles its own errors. */
export async function repeatUntilAborted(signal: AbortSignal, intervalMs: number, step: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await step();
    await pause(intervalMs, signal);
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts; `work` itself is not stopped. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
    // Both handlers stay on the work, so that a rejection after the abort is not unhandled.
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
    if (signal.aborted) onAbort();
  });
}

/** Runs the works beside each other until all have ended: the end of one aborts the others. Rejects as the first of them that failed. */
export async function runTogether(signal: AbortSignal, works: readonly ((signal: AbortSignal) => Promise<void>)[]): Promise<void> {
  const ended = new AbortController();
  const running = AbortSignal.any([signal, ended.signal]);
  const settled = await Promise.allSettled(
    works.map((work) =>
      work(running).finally(() => {
        ended.abort();
      }),
    ),
  );
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}
