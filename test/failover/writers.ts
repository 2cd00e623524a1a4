import { AcknowledgedWrites, type ExpectedEvents } from '../faults/service/acknowledged-writes.ts';
import { ClientPace } from '../faults/service/client-pace.ts';
import { type Body, RetryingClient } from '../faults/service/retrying-client.ts';

type Method = 'POST' | 'PUT' | 'GET';

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body: Body | undefined;
  readonly key: string;
  readonly traces: ExpectedEvents;
}

/** A write that was acknowledged, and when (`performance.now()`). */
export interface Acknowledged extends Request {
  readonly what: string;
  readonly at: number;
}

/** Clients that rename projects, create checks and start jobs, each write under a key and repeated until it is acknowledged. */
export class Writers {
  readonly deeds = new AcknowledgedWrites();
  readonly acknowledged: Acknowledged[] = [];
  failure: unknown;
  private readonly pace = new ClientPace();
  private readonly writing: Promise<void>[] = [];
  private running = true;
  private paused: Promise<void> | undefined;
  private busy = 0;

  /** `addresses`: each client stays with one instance. */
  static async begin(addresses: readonly string[], count: number): Promise<Writers> {
    const writers = new Writers();
    for (let index = 0; index < count; index++) {
      const address = addresses[index % addresses.length] ?? '';
      const client = new RetryingClient(() => address, writers.deeds);
      const name = `writer-${String(index)}`;
      const project = await writers.project(client, name);
      writers.writing.push(
        writers.write(client, project, name, index).catch((error: unknown) => {
          writers.failure ??= error;
        }),
      );
    }
    return writers;
  }

  get count(): number {
    return this.acknowledged.length;
  }

  /** The moment of the first acknowledged write after `since`, if there is one. */
  firstAfter(since: number): number | undefined {
    return this.acknowledged.find(({ at }) => at >= since)?.at;
  }

  /** Waits for the writes in flight; none begins until the answer is called. */
  async pause(): Promise<() => void> {
    let resume: () => void = () => undefined;
    this.paused = new Promise((resolve) => (resume = resolve));
    while (this.busy > 0 && this.failure === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    return () => {
      this.paused = undefined;
      resume();
    };
  }

  /** The same request with the same key once more. */
  async repeat(address: string, { method, path, body, key }: Acknowledged): Promise<void> {
    await new RetryingClient(() => address, new AcknowledgedWrites()).write(method, path, body, key, {});
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.writing);
  }

  private async project(client: RetryingClient, name: string): Promise<string> {
    const body = { url: `http://${name}.example`, checkInterval: 'false' };
    const { id } = await client.write('POST', '/project/create', body, name, { ProjectCreated: 1 });
    const project = `/project/${String(id)}`;
    await client.write('PUT', project, { uptimeEnabled: 'false' }, `${name}-quiet`, { UptimePeriodChanged: 1 });
    return project;
  }

  private async write(client: RetryingClient, project: string, name: string, index: number): Promise<void> {
    const { id: areaId } = await client.write('POST', `${project}/areas`, { name }, `${name}-area`, { AreaCreated: 1 });
    for (let turn = 0; this.running; turn++) {
      await this.paused;
      const key = `${name}-${String(turn)}`;
      const rename: Request = { method: 'PUT', path: project, body: { title: key }, key, traces: { ProjectRenamed: 1 } };
      const body = { areaId, url: '/', name: key };
      const create: Request = { method: 'POST', path: `${project}/tests`, body, key, traces: { CheckCreated: 1 } };
      // A project has a limited number of checks.
      const request = index % 2 === 0 || turn % 10 !== 9 ? rename : create;
      this.busy++;
      try {
        await client.write(request.method, request.path, request.body, request.key, request.traces);
        this.acknowledged.push({ ...request, what: `${request.method} ${request.path} as ${request.key}`, at: performance.now() });
      } finally {
        this.busy--;
      }
      await this.pace.next();
    }
  }
}

export const isLost = ({ what }: Acknowledged, complaints: readonly string[]): boolean =>
  complaints.some((complaint) => complaint.startsWith(`acknowledged and lost: ${what} left`));
