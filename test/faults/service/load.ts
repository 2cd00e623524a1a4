import { setTimeout as sleep } from 'node:timers/promises';
import { StubbornClient } from './client.ts';

/** Clients that rename their projects as fast as they are answered, each name once. */
export class Load {
  /** What was answered with 200, in order, by project. */
  readonly acknowledged = new Map<string, string[]>();
  readonly failures: Error[] = [];
  private running = true;
  private readonly writers: Promise<void>[] = [];

  constructor(
    private readonly address: () => string,
    private readonly size: number,
  ) {}

  begin(): void {
    for (let writer = 0; writer < this.size; writer++)
      this.writers.push(
        this.write(writer).catch(
          (error: unknown) => void this.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error })),
        ),
      );
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, titles) => sum + titles.length, 0);
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.writers);
  }

  private async write(writer: number): Promise<void> {
    const client = new StubbornClient(this.address);
    const name = `writer-${String(writer)}`;
    const { id } = await client.write('POST', '/project/create', { url: `http://${name}.example`, checkInterval: 'false' }, name);
    await client.write('PUT', `/project/${String(id)}`, { uptimeEnabled: 'false' }, `${name}-quiet`);
    const titles: string[] = [];
    this.acknowledged.set(String(id), titles);
    for (let turn = 0; this.running; turn++) {
      const title = `${name}-${String(turn)}`;
      await client.write('PUT', `/project/${String(id)}`, { title }, title);
      titles.push(title);
      const read = await client.get(`/project/${String(id)}`);
      if (read['title'] !== title) throw new Error(`${title} was acknowledged, and ${String(read['title'])} is read`);
      await sleep(20);
    }
  }
}
