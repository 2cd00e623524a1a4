import { Gauge, type Registry } from 'prom-client';

export interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type Tell = (value: number, labels?: Readonly<Record<string, string>>) => void;

/** Shorter than the scrape timeout of Prometheus (10 s), so that a hanging database does not fail the scrape. */
const PATIENCE_MS = 2_000;

/** A gauge computed at each scrape; values that cannot be read, because the database is unavailable, are omitted. */
export function callbackGauge(registry: Registry, { name, help, labels = [] }: GaugeRow, look: (tell: Tell) => Promise<void> | void): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      forget();
      let inTime = true;
      const tell: Tell = (value, of = {}) => {
        if (inTime) gauge.set({ ...of }, value);
      };
      const late = new Promise<never>((_, fail) => {
        setTimeout(fail, PATIENCE_MS, new Error('the database hangs')).unref();
      });
      await Promise.race([Promise.resolve(tell).then(look), late]).catch(forget);
      inTime = false;
    },
  });
  // Without labels `reset` would leave a zero.
  const forget = (): void => {
    if (labels.length === 0) gauge.remove();
    else gauge.reset();
  };
}

/** Concurrent callers share one query. */
export function together<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= ask().finally(() => {
      running = undefined;
    }));
}
