import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';
import { EventStoreProcess } from './event-store-process.ts';

const SETTLES_MS = 60_000;

interface Member {
  readonly state: string;
  readonly isAlive: boolean;
  readonly httpEndPointPort: number;
}

/** Three real servers on disk under a supervisor, which restarts a node that ends itself while it joins. */
export class EventStoreCluster {
  /** Killed nodes, which the supervisor does not restart. */
  private readonly down = new Set<EventStoreProcess>();
  private readonly supervisor: NodeJS.Timeout;

  private constructor(
    readonly nodes: readonly EventStoreProcess[],
    private readonly folder: string,
  ) {
    for (const node of nodes) this.start(node);
    this.supervisor = setInterval(() => {
      for (const node of nodes) if (node.ended && !this.down.has(node)) this.start(node);
    }, 500);
  }

  static async open(command: string): Promise<EventStoreCluster> {
    const nodes: EventStoreProcess[] = [];
    for (let count = 0; count < 3; count++) nodes.push(await EventStoreProcess.at(command));
    const cluster = new EventStoreCluster(nodes, await mkdtemp(join(tmpdir(), 'watchledger-cluster-')));
    try {
      await cluster.settled();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** For EVENTSTORE_URL. */
  url(prefer: 'leader' | 'follower' = 'leader'): string {
    return `esdb://${this.nodes.map(({ address }) => address).join(',')}?tls=false&nodePreference=${prefer}`;
  }

  /** Resolves once all running nodes agree on a leader and the others follow it. */
  async settled(): Promise<void> {
    await until(async () => (await this.roles()) !== null, SETTLES_MS, 'the cluster has a leader and its followers');
  }

  async leader(): Promise<EventStoreProcess> {
    await this.settled();
    const roles = await this.roles();
    return roles === null ? this.leader() : roles.leader;
  }

  async followers(): Promise<readonly EventStoreProcess[]> {
    const leader = await this.leader();
    return this.nodes.filter((node) => node !== leader && !this.down.has(node));
  }

  async strike(node: EventStoreProcess): Promise<void> {
    this.down.add(node);
    await node.kill();
  }

  revive(node: EventStoreProcess): void {
    this.down.delete(node);
    this.start(node);
  }

  async close(): Promise<void> {
    clearInterval(this.supervisor);
    await Promise.all(this.nodes.map((node) => node.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private start(node: EventStoreProcess): void {
    const name = String(this.nodes.indexOf(node));
    const others = this.nodes.filter((other) => other !== node).map(({ address }) => address);
    node.start({
      ...{ 'cluster-size': '3', 'discover-via-dns': 'false', 'gossip-seed': others.join(',') },
      ...{ db: join(this.folder, 'db', name), log: join(this.folder, 'log', name) },
    });
  }

  /** Null while the running nodes do not agree on a leader. */
  private async roles(): Promise<{ readonly leader: EventStoreProcess } | null> {
    const up = this.nodes.filter((node) => !this.down.has(node));
    const seen = await Promise.all(up.map((node) => membersAt(node)));
    const [first] = seen;
    const leading = first?.find(({ state }) => state === 'Leader')?.httpEndPointPort;
    const agreed = seen.every((members) =>
      up.every(({ port }) => {
        const state = members.find((member) => member.isAlive && member.httpEndPointPort === port)?.state;
        return state === (port === leading ? 'Leader' : 'Follower');
      }),
    );
    const leader = up.find(({ port }) => port === leading);
    return agreed && leader !== undefined ? { leader } : null;
  }
}

async function membersAt(node: EventStoreProcess): Promise<readonly Member[]> {
  const answer = await node.gossip().catch(() => null);
  return isGossip(answer) ? answer.members : [];
}

const isGossip = (answer: unknown): answer is { readonly members: readonly Member[] } =>
  typeof answer === 'object' && answer !== null && 'members' in answer && Array.isArray(answer.members);
