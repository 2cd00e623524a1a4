import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';

const START_MS = 60_000;

/** A real server as a process, started by a command such as `dotnet EventStore.ClusterNode.dll` (docs/event-store.md). */
export class EventStoreProcess {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly command: string,
    readonly port: number,
    readonly replicationPort: number,
  ) {}

  static async at(command: string): Promise<EventStoreProcess> {
    return new EventStoreProcess(command, await freePort(), await freePort());
  }

  get address(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  get ended(): boolean {
    const { exitCode, signalCode } = this.child ?? { exitCode: 0, signalCode: null };
    return exitCode !== null || signalCode !== null;
  }

  start(options: Readonly<Record<string, string>>): void {
    const [program = '', ...args] = this.command.split(' ');
    const named = {
      ...{ 'node-ip': '127.0.0.1', 'replication-ip': '127.0.0.1', 'run-projections': 'None' },
      ...{ 'node-port': String(this.port), 'replication-port': String(this.replicationPort) },
      ...options,
    };
    const flags = Object.entries(named).flatMap(([name, value]) => [`--${name}`, value]);
    const env = { ...process.env, EVENTSTORE_TELEMETRY_OPTOUT: 'true' };
    this.child = spawn(program, [...args, '--insecure', ...flags], { stdio: 'ignore', env });
  }

  async ready(): Promise<void> {
    const alive = async (): Promise<boolean> => {
      if (this.ended) throw new Error(`the event store ended while it started: ${this.command}`);
      return this.isAlive();
    };
    await until(alive, START_MS, 'the event store is alive');
  }

  /** Its view of the cluster. */
  async gossip(): Promise<unknown> {
    const response = await fetch(`http://${this.address}/gossip?format=json`, { signal: AbortSignal.timeout(2_000) });
    return response.json();
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || this.ended) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }

  private isAlive(): Promise<boolean> {
    return fetch(`http://${this.address}/health/live`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}
