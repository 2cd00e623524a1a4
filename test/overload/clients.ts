import { AcknowledgedWrites } from '../faults/service/acknowledged-writes.ts';
import { ADMIN } from '../support/service.ts';

const READ_EVERY_MS = 500;
const WRITE_EVERY_MS = 2_000;
/** Longer than any answer may take. */
const GIVE_UP_MS = 15_000;
const READS = ['', '/status', '/tests', '/history?limit=20'];

export interface Read {
  /** By `performance.now()`. */
  readonly at: number;
  readonly milliseconds: number;
  /** 0: not answered. */
  readonly status: number;
  readonly path: string;
}

/** Clients that read and write at a steady rate, however long answers take; each write has a key of its own and is sent once. */
export class Clients {
  readonly reads: Read[] = [];
  readonly writes = new AcknowledgedWrites();
  /** Answers to writes, by status. */
  readonly statuses = new Map<number, number>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly underway = new Set<Promise<void>>();
  private sent = 0;

  private constructor(
    private readonly address: string,
    private readonly token: string,
    private readonly projectIds: readonly string[],
  ) {}

  static async signIn(address: string, projectIds: readonly string[]): Promise<Clients> {
    const answer = await fetch(`${address}/api/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ADMIN, exp: '+1 day' }),
    });
    if (answer.status !== 200) throw new Error(`signing in was answered ${String(answer.status)} ${await answer.text()}`);
    return new Clients(address, await answer.text(), projectIds);
  }

  begin(): void {
    this.repeat(READ_EVERY_MS, (turn) => this.read(`/project/${this.project(turn)}${READS[turn % READS.length] ?? ''}`));
    this.repeat(WRITE_EVERY_MS, (turn) => this.write(`/project/${this.project(turn)}`));
  }

  async end(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.underway);
  }

  private project(turn: number): string {
    return this.projectIds[turn % this.projectIds.length] ?? '';
  }

  private repeat(milliseconds: number, act: (turn: number) => Promise<void>): void {
    let turn = 0;
    this.timers.push(
      setInterval(() => {
        const done = act(turn++);
        this.underway.add(done);
        void done.finally(() => this.underway.delete(done));
      }, milliseconds),
    );
  }

  private async read(path: string): Promise<void> {
    const at = performance.now();
    const status = await this.ask('GET', path);
    this.reads.push({ at, milliseconds: performance.now() - at, status, path });
  }

  private async write(path: string): Promise<void> {
    const key = `overload-${String(this.sent++)}`;
    const write = this.writes.asked('PUT', path, key, { ProjectRenamed: 1 });
    const status = await this.ask('PUT', path, JSON.stringify({ title: key }), {
      'content-type': 'application/json',
      'idempotency-key': key,
    });
    if (status === 200) this.writes.acknowledge(write);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private async ask(method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    try {
      const answer = await fetch(`${this.address}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}`, ...headers },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  }
}
