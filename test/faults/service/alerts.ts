import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '../../../src/event-store/event-store.ts';
import { eventId, randomId } from '../../../src/kernel/ids.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { StubbornClient } from './client.ts';

const SOON_MS = 240_000;

/** Projects whose redirect breaks and heals again and again: each time somebody has to be told. */
export class Alerts {
  readonly failures: Error[] = [];
  told = 0;
  private running = true;
  private readonly watchers: Promise<void>[] = [];
  private crashes = 0;
  /** How often a message came, and how many crashes there had been when it came first. */
  private readonly seen = new Map<string, { times: number; readonly since: number }>();

  private constructor(
    private readonly receiver: Receiver,
    private readonly store: () => EventStore,
  ) {}

  static async begin(address: () => string, store: () => EventStore, projects: number): Promise<Alerts> {
    const receiver = await startReceiver();
    const alerts = new Alerts(receiver, store);
    receiver.answer = (request, response) => {
      alerts.hear(String(request.headers['webhook-id']));
      response.end('ok');
    };
    const client = new StubbornClient(address);
    await client.write('PUT', '/account/channels/webhook', { url: `${receiver.url}/hook` }, 'channel');
    for (let index = 0; index < projects; index++)
      alerts.watchers.push(
        alerts
          .watch(client, index)
          .catch((error: unknown) => void alerts.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error }))),
      );
    return alerts;
  }

  /** From here on a message that was on its way may come once more. */
  crashed(): void {
    this.crashes++;
  }

  get repeats(): number {
    return [...this.seen.values()].reduce((sum, { times }) => sum + times - 1, 0);
  }

  /** Messages that came more often than once and once more for each crash. */
  tooOften(): readonly string[] {
    return [...this.seen].flatMap(([id, { times, since }]) =>
      times > 1 + this.crashes - since ? [`${id} came ${String(times)} times`] : [],
    );
  }

  ids(): ReadonlySet<string> {
    return new Set(this.seen.keys());
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.watchers);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private hear(id: string): void {
    const known = this.seen.get(id);
    if (known !== undefined) known.times++;
    // One that is under way while a crash is being made counts as before it.
    else this.seen.set(id, { times: 1, since: Math.max(0, this.crashes - 1) });
  }

  private async watch(client: StubbornClient, index: number): Promise<void> {
    const name = `alert-${String(index)}`;
    const { id } = await client.write('POST', '/project/create', { url: `http://${name}.example`, checkInterval: 'false' }, name);
    const projectId = String(id);
    await client.write('PUT', `/project/${projectId}`, { uptimeEnabled: 'false' }, `${name}-quiet`);
    await client.write('POST', `/project/${projectId}/notifications`, { email: false, webhook: true }, `${name}-told`);
    for (let turn = 0; this.running; turn++) {
      const kind = turn % 2 === 0 ? 'problem' : 'recovery';
      const before = this.heard(projectId, kind);
      await this.happen(projectId, turn);
      const deadline = performance.now() + SOON_MS;
      while (this.heard(projectId, kind) === before) {
        if (performance.now() > deadline) throw new Error(`nobody was told of the ${kind} of turn ${String(turn)} of ${name}`);
        await sleep(20);
      }
      this.told++;
      await sleep(50);
    }
  }

  /** Different messages of a kind. */
  private heard(projectId: string, kind: string): number {
    const ids = this.receiver.received.flatMap(({ body, headers }) => {
      const message = JSON.parse(body) as { readonly type: string; readonly data: { readonly project: { readonly id: string } } };
      return message.type === kind && message.data.project.id === projectId ? [String(headers['webhook-id'])] : [];
    });
    return new Set(ids).size;
  }

  private async happen(projectId: string, turn: number): Promise<void> {
    const stream = `redirect-${projectId}`;
    const commandId = randomId();
    const at = new Date().toISOString();
    const broken = turn % 2 === 0;
    const url = 'http://example.com/';
    const event = {
      id: eventId(commandId, stream, turn),
      type: broken ? 'RedirectFailed' : 'RedirectVerified',
      version: 1,
      scope: `project-${projectId}`,
      data: { url, finalUrl: url, reason: null, location: 'eu', at, before: turn === 0 ? 'ok' : broken ? 'ok' : 'failed' },
      meta: { correlationId: commandId, causationId: null, commandId, occurredAt: at, actor: { kind: 'checker' as const, id: 'eu' } },
    };
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      try {
        const result = await this.store().append(stream, turn === 0 ? 'no stream' : turn - 1, [event]);
        if (result.kind === 'appended') return;
        throw new Error(`somebody else writes to ${stream}`);
      } catch (error) {
        if (performance.now() > deadline || (error instanceof Error && error.message.startsWith('somebody'))) throw error;
        await sleep(100);
      }
    }
  }
}
