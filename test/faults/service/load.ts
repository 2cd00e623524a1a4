import { type Site, startHttp } from '../../support/servers/site.ts';
import { RetryingClient } from './retrying-client.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import type { ClientPace } from './client-pace.ts';
import { type Erased, changeScenario } from './change-scenario.ts';

export interface LoadSize {
  /** Clients that rename their project and check that they read their own write. */
  readonly renaming: number;
  /** Clients that change everything in turn, start jobs, and create and erase accounts. */
  readonly changing: number;
}

/** Clients that write continuously. */
export class Load {
  readonly deeds = new AcknowledgedWrites();
  /** Accounts whose erasure was acknowledged. */
  readonly erased: Erased[] = [];
  readonly failures: Error[] = [];
  private running = true;
  private readonly writers: Promise<void>[] = [];

  private constructor(
    private readonly address: () => string,
    private readonly pace: ClientPace,
    private readonly site: Site,
  ) {}

  static async begin(address: () => string, pace: ClientPace, { renaming, changing }: LoadSize): Promise<Load> {
    let asked = 0;
    // Fails now and then, so that verdicts change.
    const site = await startHttp((_, response) => {
      response.statusCode = asked++ % 7 < 4 ? 200 : 503;
      response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome to the shop</p>');
    });
    const load = new Load(address, pace, site);
    for (let writer = 0; writer < renaming; writer++) load.add(load.rename(`writer-${String(writer)}`));
    for (let writer = 0; writer < changing; writer++) load.add(load.change(`changer-${String(writer)}`));
    return load;
  }

  client(): RetryingClient {
    return new RetryingClient(this.address, this.deeds);
  }

  get count(): number {
    return this.deeds.count;
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.writers);
  }

  close(): Promise<void> {
    return this.site.close();
  }

  private add(writer: Promise<void>): void {
    const failed = (error: unknown): void => {
      this.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error }));
    };
    this.writers.push(writer.catch(failed));
  }

  private async rename(name: string): Promise<void> {
    const client = this.client();
    const project = await this.project(client, name, `http://${name}.example`);
    for (let turn = 0; this.running; turn++) {
      const title = `${name}-${String(turn)}`;
      await client.write('PUT', project, { title }, title, { ProjectRenamed: 1 });
      const read = await client.get(project);
      if (read['title'] !== title) throw new Error(`${title} was acknowledged, and ${String(read['title'])} is read`);
      await this.pace.next();
    }
  }

  private async change(name: string): Promise<void> {
    const client = this.client();
    const project = await this.project(client, name, this.site.url);
    for (let turn = 0; this.running; turn++)
      for (const step of changeScenario({ client, address: this.address, deeds: this.deeds, project, name: `${name}-${String(turn)}` })) {
        const erased = await step();
        if (erased !== null) this.erased.push(erased);
        if (!this.running) return;
        await this.pace.next();
      }
  }

  private async project(client: RetryingClient, name: string, url: string): Promise<string> {
    const { id } = await client.write('POST', '/project/create', { url, checkInterval: 'false' }, name, { ProjectCreated: 1 });
    const project = `/project/${String(id)}`;
    await client.write('PUT', project, { uptimeEnabled: 'false' }, `${name}-quiet`, { UptimePeriodChanged: 1 });
    return project;
  }
}
