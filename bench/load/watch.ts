import type pg from 'pg';
import { postgresSeconds, processSeconds, spentSince } from '../support/processor.ts';
import { type Program, residentMegabytes } from '../support/program.ts';
import type { Clients } from './clients.ts';
import { differenceOf, lateness, type Lateness, quantile } from './lateness.ts';

/** The measurements of one interval. */
export interface Sample {
  /** Seconds since the start of the measurement. */
  readonly at: number;
  /** CPU use per process, in percent of one core. */
  readonly processor: readonly number[];
  readonly postgresProcessor: number;
  /** Resident memory per process. */
  readonly memoryMb: readonly number[];
  readonly databaseMb: number;
  /** Started probes and runs per second. */
  readonly turns: number;
  /** The 99th percentile of lateness in milliseconds: the upper bound of a histogram bucket. */
  readonly lateMs: number;
  /** Started uptime probes per second, and their lateness. */
  readonly probes: number;
  readonly probesLateMs: number;
  readonly readMs: Percentiles;
  readonly writeMs: Percentiles;
  readonly failures: number;
  /** Log entries of warnings and errors. */
  readonly troubles: number;
  /** Transactions a second, which are nearly all statements. */
  readonly statements: number;
  /** Kilobytes of write-ahead log a second. */
  readonly walKb: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** Measures the processes from outside and by their own metrics. */
export class Watch {
  private readonly began = performance.now();
  private last = {
    at: this.began,
    own: [] as readonly number[],
    postgres: new Map() as ReadonlyMap<number, number>,
    late: { all: [], probes: [] } as Lateness,
    troubles: 0,
    ...{ statements: 0, walBytes: 0 },
  };

  private constructor(
    private readonly services: readonly Program[],
    private readonly pool: pg.Pool,
    private readonly clients: Clients,
  ) {}

  static async begin(services: readonly Program[], pool: pg.Pool, clients: Clients): Promise<Watch> {
    const watch = new Watch(services, pool, clients);
    watch.last = await watch.look();
    return watch;
  }

  async sample(): Promise<Sample> {
    const before = this.last;
    const now = await this.look();
    this.last = now;
    const seconds = (now.at - before.at) / 1_000;
    const late = differenceOf(now.late.all, before.late.all);
    const probes = differenceOf(now.late.probes, before.late.probes);
    const { rows } = await this.pool.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
    return {
      at: Math.round((now.at - this.began) / 1_000),
      processor: now.own.map((spent, index) => rounded(((spent - (before.own[index] ?? 0)) / seconds) * 100)),
      postgresProcessor: rounded((spentSince(before.postgres, now.postgres) / seconds) * 100),
      memoryMb: await Promise.all(this.services.map(async ({ pid }) => Math.round(await residentMegabytes(pid)))),
      databaseMb: rounded(Number(rows[0]?.size ?? 0) / 1e6),
      turns: rounded((late.at(-1)?.count ?? 0) / seconds),
      lateMs: quantile(late, 0.99) * 1_000,
      probes: rounded((probes.at(-1)?.count ?? 0) / seconds),
      probesLateMs: quantile(probes, 0.99) * 1_000,
      readMs: percentiles(this.clients.reads.splice(0)),
      writeMs: percentiles(this.clients.writes.splice(0)),
      failures: this.clients.failures,
      troubles: now.troubles - before.troubles,
      statements: rounded((now.statements - before.statements) / seconds),
      walKb: rounded((now.walBytes - before.walBytes) / seconds / 1_000),
    };
  }

  private async look(): Promise<Watch['last']> {
    const { rows } = await this.pool.query<{ statements: string; wal: string }>(
      `SELECT xact_commit + xact_rollback AS statements, pg_current_wal_lsn() - '0/0' AS wal FROM pg_stat_database WHERE datname = current_database()`,
    );
    return {
      ...{ statements: Number(rows[0]?.statements), walBytes: Number(rows[0]?.wal) },
      troubles: this.services.reduce((sum, { troubles }) => sum + troubles(), 0),
      at: performance.now(),
      own: this.services.map(({ pid }) => processSeconds(pid)),
      postgres: await postgresSeconds(this.pool),
      late: await lateness(this.services.map(({ address }) => address)),
    };
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

function percentiles(times: readonly number[]): Percentiles {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number): number => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return { p50: at(0.5), p99: at(0.99) };
}
