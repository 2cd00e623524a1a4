const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ctrl-C ends the work through the signal, so that it can clear away what it made. Pressed again it changes nothing: a terminal and npm
 * both pass it on, and one press arrives twice.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const closing = new AbortController();
  const interrupt = (): void => {
    closing.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(closing.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
