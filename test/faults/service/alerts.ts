import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '../../../src/platform/event-store/event-store.ts';
import { eventId, randomId } from '../../../src/kernel/ids.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { DeliveryCounts } from './delivery-counts.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { ClientPace } from './client-pace.ts';

const SOON_MS = 240_000;

interface Message {
  readonly type: string;
  readonly data: { readonly project: { readonly id: string } };
}

/** Projects whose redirect fails and recovers repeatedly; each change must be alerted. */
export class Alerts {
  readonly failures: Error[] = [];
  readonly arrivals = new DeliveryCounts();
  delivered = 0;
  private running = true;
  private readonly watchers: Promise<void>[] = [];
  /** Different messages by project and kind. */
  private readonly heard = new Map<string, Set<string>>();

  private constructor(
    private readonly receiver: Receiver,
    private readonly client: RetryingClient,
    private readonly store: EventStore,
    private readonly pace: ClientPace,
  ) {}

  static async begin(client: RetryingClient, store: EventStore, pace: ClientPace, projects: number): Promise<Alerts> {
    const receiver = await startReceiver();
    const alerts = new Alerts(receiver, client, store, pace);
    receiver.answer = ({ headers, body }, response) => {
      alerts.hear(String(headers['webhook-id']), JSON.parse(body) as Message);
      response.end('ok');
    };
    await client.write('PUT', '/account/channels/webhook', { url: `${receiver.url}/hook` }, 'channel', { ChannelSet: 1 });
    for (let index = 0; index < projects; index++)
      alerts.watchers.push(
        alerts
          .watch(`alert-${String(index)}`)
          .catch((error: unknown) => void alerts.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error }))),
      );
    return alerts;
  }

  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.watchers);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private hear(id: string, { type, data }: Message): void {
    this.arrivals.hear(id);
    this.of(data.project.id, type).add(id);
  }

  private of(projectId: string, kind: string): Set<string> {
    const key = `${projectId} ${kind}`;
    const known = this.heard.get(key) ?? new Set<string>();
    this.heard.set(key, known);
    return known;
  }

  private async watch(name: string): Promise<void> {
    const { client } = this;
    const body = { url: `http://${name}.example`, checkInterval: 'false' };
    const { id } = await client.write('POST', '/project/create', body, name, { ProjectCreated: 1 });
    const projectId = String(id);
    await client.write('PUT', `/project/${projectId}`, { uptimeEnabled: 'false' }, `${name}-quiet`, { UptimePeriodChanged: 1 });
    const channels = { email: false, webhook: true };
    await client.write('POST', `/project/${projectId}/notifications`, channels, `${name}-channels`, { NotificationChannelSwitched: 2 });
    for (let turn = 0; this.running; turn++) {
      const kind = turn % 2 === 0 ? 'problem' : 'recovery';
      const messages = this.of(projectId, kind);
      const before = messages.size;
      await this.appendRedirectChange(projectId, turn);
      const deadline = performance.now() + SOON_MS;
      while (messages.size === before) {
        if (performance.now() > deadline) throw new Error(`no ${kind} message for turn ${String(turn)} of ${name}`);
        await sleep(20);
      }
      this.delivered++;
      await this.pace.next();
    }
  }

  private async appendRedirectChange(projectId: string, turn: number): Promise<void> {
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
        const result = await this.store.append(stream, turn === 0 ? 'no stream' : turn - 1, [event]);
        if (result.kind === 'appended') return;
        throw new Error(`unexpected conflict: ${stream} has one writer only`);
      } catch (error) {
        if (performance.now() > deadline || (error instanceof Error && error.message.startsWith('unexpected conflict'))) throw error;
        await sleep(100);
      }
    }
  }
}
