import { randomBytes } from 'node:crypto';
import { loadConfig } from '../src/platform/config/config.ts';
import type { Events, EventType } from '../src/events.ts';
import { randomId } from '../src/kernel/ids.ts';
import { createLogger } from '../src/platform/telemetry/logging/logger.ts';
import { openParts, type Parts } from '../src/app/parts.ts';
import { openResources } from '../src/app/resources.ts';
import { alertLoops } from '../src/alerts/alerts.loops.ts';
import { longRunningParts } from '../src/app/long-running-parts.ts';
import { Lifecycle } from '../src/kernel/lifecycle.ts';
import { samples } from '../test/samples/samples.ts';
import { type Receiver, startReceiver } from '../test/support/servers/receiver.ts';
import { until } from '../test/support/until.ts';
import { type Bench, figure } from './support/bench.ts';
import { postgresSeconds, spentSince } from './support/processor.ts';

const RECIPIENTS = 1_000;
const FAILURES = 200;
const WARM_UP = 20;
const SETTLING_MS = 5_000;
const IDLE_MS = 20_000;

/** The time from a confirmed verdict to the receiver's socket, and a failure with a thousand recipients. */
const bench: Bench = async ({ database }) => {
  const url = await database();
  const receiver = await startReceiver();
  const env = {
    DATABASE_URL: url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    ALLOW_TARGETS: '127.0.0.0/8',
    ALLOW_HOOKS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    ROLES: 'projector',
  };
  const config = loadConfig(env, import.meta.dirname);
  const parts = await openParts(config, await openResources(config, url, await createLogger(config)));
  const lifecycle = new Lifecycle().add(...longRunningParts(config, parts));
  await lifecycle.start();
  const loops = alertLoops(config, { ...parts, checkpoint: () => parts.seal.ledger.checkpoint() });
  for (const loop of loops) loop.start();
  try {
    const world = new World(parts, receiver);
    const crowd = Array.from({ length: RECIPIENTS }, (_, index) => index + 1);
    for (const userId of crowd) await world.person(userId);
    await world.project('crowd', crowd);
    const sites = Array.from({ length: FAILURES + WARM_UP }, (_, index) => `site${String(index)}`);
    for (const site of sites) await world.project(site, [1]);
    await world.visible();

    const latencies: number[] = [];
    for (const site of sites) latencies.push(await world.latency(site));
    const sorted = latencies.slice(WARM_UP).sort((one, other) => one - other);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

    const before = receiver.received.length;
    const [start, own, inPostgres] = [performance.now(), process.cpuUsage(), await postgresSeconds(parts.pool)];
    await world.append('crowd', 'CheckFailed', {});
    await until(() => Promise.resolve(receiver.received.length >= before + RECIPIENTS), 60_000, 'a thousand messages');
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(own);
    const work = (user + system) / 1e6 + spentSince(inPostgres, await postgresSeconds(parts.pool));

    await new Promise((settled) => setTimeout(settled, SETTLING_MS));
    const idle = await load(parts);
    await Promise.all(loops.map((loop) => loop.close()));
    const without = await load(parts);
    return [
      figure('verdict to the socket of the receiver, p50', at(0.5), 'ms'),
      figure('verdict to the socket of the receiver, p99', at(0.99), 'ms', { goal: { atMost: 500 } }),
      figure(`one failure to ${String(RECIPIENTS)} recipients`, seconds, 's', { goal: { atMost: 10 } }),
      figure('the same, processor of service and Postgres', work, 's of CPU'),
      figure('processor with nothing to tell, of one core', idle.own - without.own, '%', { goal: { atMost: 1 } }),
      figure('processor of Postgres for it, of one core', idle.postgres - without.postgres, '%', { goal: { atMost: 1 } }),
    ];
  } finally {
    await Promise.all(loops.map((loop) => loop.close()));
    await lifecycle.close();
    await parts.close();
    await receiver.close();
  }
};
export default bench;

/** The CPU use of the process and its database, in percent of one core. */
async function load({ pool }: Parts): Promise<{ readonly own: number; readonly postgres: number }> {
  const [before, own, start] = [await postgresSeconds(pool), process.cpuUsage(), performance.now()];
  await new Promise((over) => setTimeout(over, IDLE_MS));
  const { user, system } = process.cpuUsage(own);
  const inPostgres = spentSince(before, await postgresSeconds(pool)) * 1000;
  const passed = performance.now() - start;
  return { own: ((user + system) / 1000 / passed) * 100, postgres: (inPostgres / passed) * 100 };
}

/** Events as the commands write them, appended directly to the store. */
class World {
  private place = '0';

  constructor(
    private readonly parts: Parts,
    private readonly receiver: Receiver,
  ) {}

  async person(userId: number): Promise<void> {
    const scope = `account-${String(userId)}`;
    const seal = (text: string) => this.parts.keyring.seal(scope, text);
    const values = { url: await seal(`${this.receiver.url}/${String(userId)}`), secret: await seal('whsec_c2VjcmV0') };
    await this.append(scope, 'AccountOpened', { userId, confirmed: true }, scope);
    await this.append(scope, 'ChannelSet', { channel: 'webhook', values }, scope);
  }

  async project(id: string, members: readonly number[]): Promise<void> {
    await this.append(id, 'ProjectCreated', { projectId: id, payerId: members[0] ?? 1 });
    await this.append(id, 'CheckCreated', { checkId: `check-${id}` });
    for (const userId of members) {
      if (userId !== members[0]) await this.append(id, 'MemberAdded', { userId, role: '6' });
      await this.append(id, 'NotificationChannelSwitched', { userId, channel: 'webhook', from: false, to: true });
    }
  }

  async visible(): Promise<void> {
    await this.parts.readYourWrites.waitUntilVisible([{ position: this.place }], Date.now() + 60_000);
  }

  async latency(id: string): Promise<number> {
    const before = this.receiver.received.length;
    const start = Date.now();
    await this.append(id, 'CheckFailed', {});
    await until(() => Promise.resolve(this.receiver.received.length > before), 10_000, 'the message');
    return (this.receiver.received[before]?.at ?? NaN) - start;
  }

  async append<Type extends EventType>(id: string, type: Type, changes: Partial<Events[Type]>, scope = `project-${id}`): Promise<void> {
    const [eventId, commandId] = [randomId(), randomId()];
    const meta = {
      actor: { kind: 'checker', id: 'bench' },
      correlationId: eventId,
      causationId: null,
      commandId,
      occurredAt: new Date().toISOString(),
    } as const;
    const data = { ...samples(id)[type], ...changes };
    const result = await this.parts.store.append(`bench-${eventId}`, 'no stream', [{ id: eventId, type, version: 1, scope, meta, data }]);
    if (result.kind === 'appended') this.place = result.place.position;
  }
}
