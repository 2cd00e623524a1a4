import { Gauge, type Registry } from 'prom-client';

export interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type Tell = (value: number, labels?: Readonly<Record<string, string>>) => void;

/** Asked at each scrape. What cannot be told, because the database is away, is left out; everything else is told all the same. */
export function toldGauge(registry: Registry, { name, help, labels = [] }: GaugeRow, look: (tell: Tell) => Promise<void> | void): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      forget();
      const tell: Tell = (value, of = {}) => {
        gauge.set({ ...of }, value);
      };
      await Promise.resolve(tell).then(look).catch(forget);
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
