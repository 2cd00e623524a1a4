import { Gauge, type Registry } from 'prom-client';

export interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type SetGauge = (value: number, labels?: Readonly<Record<string, string>>) => void;

/** Shorter than the scrape timeout of Prometheus (10 s), so that a hanging database does not fail the scrape. */
const TIMEOUT_MS = 2_000;

/** A gauge computed at each scrape; values that cannot be read, because the database is unavailable, are omitted. */
export function callbackGauge(
  registry: Registry,
  { name, help, labels = [] }: GaugeRow,
  compute: (set: SetGauge) => Promise<void> | void,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      clear();
      let inTime = true;
      const set: SetGauge = (value, of = {}) => {
        if (inTime) gauge.set({ ...of }, value);
      };
      const timeout = new Promise<never>((_, fail) => {
        setTimeout(fail, TIMEOUT_MS, new Error('the gauge was not computed in time')).unref();
      });
      await Promise.race([Promise.resolve(set).then(compute), timeout]).catch(clear);
      inTime = false;
    },
  });
  // Without labels, `reset` would set it to zero.
  const clear = (): void => {
    if (labels.length === 0) gauge.remove();
    else gauge.reset();
  };
}
