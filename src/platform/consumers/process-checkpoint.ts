import type pg from 'pg';
import type { Log } from '../log/log.ts';

/** The last event that a process manager has handled. Fenced: an instance that lost its lease cannot move it. */
export class ProcessCheckpoint {
  private position = -1;

  constructor(
    private readonly pool: pg.Pool,
    private readonly name: string,
  ) {}

  get n(): number {
    return this.position;
  }

  /** A new process manager starts at the head of the log: earlier events mean nothing to it. */
  async load(log: Pick<Log, 'head'>): Promise<void> {
    await this.pool.query('INSERT INTO process_checkpoint (name, n) VALUES ($1, $2) ON CONFLICT DO NOTHING', [this.name, await log.head()]);
    const { rows } = await this.pool.query<{ n: string }>('SELECT n FROM process_checkpoint WHERE name = $1', [this.name]);
    this.position = Number(rows[0]?.n ?? -1);
  }

  /** Within the transaction of what the events led to, after which `moved` says that it is committed. */
  async move(to: number, client: Pick<pg.ClientBase, 'query'> = this.pool): Promise<void> {
    const { rowCount } = await client.query('UPDATE process_checkpoint SET n = $2 WHERE name = $1 AND n = $3', [
      this.name,
      to,
      this.position,
    ]);
    if (rowCount !== 1) throw new Error(`the checkpoint of ${this.name} was moved by another instance`);
  }

  moved(to: number): void {
    this.position = to;
  }
}
