import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreProcess } from '../../support/servers/event-store-process.ts';

/** A real event store with its data on disk, which can be killed repeatedly. */
export class EventStoreOnDisk {
  private constructor(
    private readonly node: EventStoreProcess,
    private readonly options: Readonly<Record<string, string>>,
  ) {}

  /** By the command that starts one (docs/event-store.md). */
  static async start(command: string, folder: string): Promise<EventStoreOnDisk> {
    const options = { db: join(folder, 'events'), log: join(folder, 'events-log') };
    for (const path of Object.values(options)) mkdirSync(path);
    const node = new EventStoreOnDisk(await EventStoreProcess.at(command), options);
    await node.again();
    return node;
  }

  get url(): string {
    return `esdb://${this.node.address}?tls=false`;
  }

  /** Kills the process as a power cut does, and restarts it. */
  async die(): Promise<void> {
    await this.node.kill();
    await this.again();
  }

  signal(name: NodeJS.Signals): void {
    this.node.signal(name);
  }

  stop(): Promise<void> {
    return this.node.kill();
  }

  private async again(): Promise<void> {
    this.node.start(this.options);
    await this.node.ready();
  }
}
