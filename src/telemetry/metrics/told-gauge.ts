import { Gauge, type Registry } from 'prom-client';

export interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type Tell = (value: number, labels?: Readonly<Record<string, string>>) => void;

/** A database that hangs must not make Prometheus believe that nobody answers: it waits 10 s unless told otherwise. */
const PATIENCE_MS = 2_000;

/** Asked at each scrape. What cannot be told, because the database is away, is left out; everything else is told all the same. */
export function toldGauge(registry: Registry, { name, help, labels = [] }: GaugeRow, look: (tell: Tell) => Promise<void> | void): void {
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
  // Without labels `reset` leaves a zero, which is no figure.
  const forget = (): void => {
    if (labels.length === 0) gauge.remove();
    else gauge.reset();
  };
}

/** Several figures of one moment are one question. */
export function together<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= ask().finally(() => {
      running = undefined;
    }));
}
