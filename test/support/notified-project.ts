import type { ApiClient, Json } from './api-client.ts';
import { createTestMailServer, type TestMailServer } from './servers/mail.ts';
import { type Received, type Receiver, startReceiver } from './servers/receiver.ts';
import { type Site, startHttp } from './servers/site.ts';
import { TestService } from './service.ts';
import { TestAccounts, type TestAccount } from './test-accounts.ts';
import { until } from './until.ts';

export const CONFIRMED_WITHIN = 50_000;

interface Receivers {
  readonly hook: Receiver;
  readonly pager: Receiver;
  /** Receives traces and metrics by OTLP. */
  readonly collector: Receiver;
  readonly mail: TestMailServer;
}

/** A project with one check, on a service of its own that sends to receivers on loopback. */
export class NotifiedProject {
  broken = false;
  projectId = '';

  private constructor(
    readonly receivers: Receivers,
    private readonly env: Readonly<Record<string, string>>,
    public service: TestService,
    public owner: TestAccount,
  ) {}

  private site: Site | undefined;

  static async start(): Promise<NotifiedProject> {
    const [hook, pager, collector, mail] = await Promise.all([startReceiver(), startReceiver(), startReceiver(), createTestMailServer()]);
    const env = {
      REGISTRATION: 'open',
      RATE_LIMIT: '0',
      ALLOW_TARGETS: '127.0.0.0/8',
      ALLOW_HOOKS: '127.0.0.0/8',
      SMTP_URL: mail.url,
      PAGERDUTY_URL: `${pager.url}/v2/enqueue`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    };
    const service = await TestService.start({ env });
    const project = new NotifiedProject({ hook, pager, collector, mail }, env, service, await new TestAccounts(service).admin());
    await project.create();
    return project;
  }

  get api(): ApiClient {
    return this.owner.api;
  }

  private async create(): Promise<void> {
    this.site = await startHttp((_, response) => {
      response.statusCode = this.broken ? 503 : 200;
      response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome</p>');
    });
    this.projectId = await new TestAccounts(this.service).project(this.owner, this.site.url);
    const path = `/project/${this.projectId}`;
    await this.api.put(path, { period: false, uptimeEnabled: false, title: 'Shop & Co' });
    const { id: areaId } = (await this.api.post(`${path}/areas`, { name: 'Shop' })).body;
    await this.api.post(`${path}/tests`, { areaId, url: '/', name: 'Homepage', rules: [{ type: 'status', op: 'eq', val: '200' }] });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    const { hook, pager, collector, mail } = this.receivers;
    await Promise.all([this.site?.close(), hook.close(), pager.close(), collector.close(), mail.close()]);
  }

  /** Kills the service where it still runs; `between`: before the next one starts. */
  async restart(between: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    await this.service.kill();
    await between();
    this.service = await TestService.start({ beside: this.service, env: this.env });
    this.owner = await new TestAccounts(this.service).admin();
  }

  /** Runs every test; the service confirms a failure 10 to 30 seconds later. */
  async run(headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const { jobId } = (await this.api.with(headers).get(`/project/${this.projectId}/start?keep-alive=true`)).body;
    const path = `/project/${this.projectId}/job/${String(jobId)}/results`;
    await until(async () => (await this.api.get(path)).body.processed === true, 10_000);
  }

  messages(kind: string): readonly Received[] {
    return this.receivers.hook.received.filter(({ body }) => JSON.parse(body).type === kind);
  }

  async deliveries(): Promise<Json[]> {
    return (await this.api.get('/account/deliveries')).body.deliveries;
  }

  /** The ids of all events of the project, in order. */
  async history(): Promise<readonly string[]> {
    const ids: string[] = [];
    const events = this.api.client.follow('/project/{id}/history', { path: { id: this.projectId }, untilHead: true });
    for await (const { id } of events) ids.push(id);
    return ids;
  }
}

export interface Batch {
  readonly request: Received;
  readonly data: Json;
  readonly events: readonly Json[];
}

/** What a destination received. */
export const batchesOf = ({ received }: Receiver): readonly Batch[] =>
  received.map((request) => {
    const [{ data }, ...events] = JSON.parse(request.body) as [Json, ...Json[]];
    return { request, data, events };
  });

export const idsOf = (batches: readonly Batch[]): readonly string[] => batches.flatMap(({ events }) => events.map(({ id }) => String(id)));
