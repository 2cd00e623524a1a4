import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What becomes of the connections that exist when the balancer switches. `kept`: both sides stay open, and nothing passes any more. */
export type Existing = 'reset' | 'kept';

interface Pair {
  readonly client: Socket;
  readonly server: Socket | null;
  /** `deaf`: what the server answers is lost. */
  passes: 'both' | 'deaf' | 'nothing';
}

/** A TCP load balancer on loopback in front of one of several servers, which can fail in the ways of real ones. */
export class TcpBalancer {
  private readonly pairs = new Set<Pair>();
  private isBlackHole = false;

  private constructor(
    private readonly listener: Server,
    private target: number,
  ) {
    listener.on('connection', (client) => {
      this.join(client);
    });
  }

  /** `port` is that of the first server. */
  static async before(port: number): Promise<TcpBalancer> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new TcpBalancer(listener, port);
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** The same address through the balancer. */
  through(url: string): string {
    const behind = new URL(url);
    behind.port = String(this.port);
    return behind.href;
  }

  /** From now on new connections lead to another server. */
  switchTo(port: number, existing: Existing): void {
    this.target = port;
    this.isBlackHole = false;
    for (const pair of this.pairs) {
      if (existing === 'reset') pair.client.resetAndDestroy();
      else pair.passes = 'nothing';
    }
  }

  /** Packets vanish: on existing connections for ever, on new ones until the next switch or `heal`. */
  blackHole(): void {
    this.isBlackHole = true;
    for (const pair of this.pairs) pair.passes = 'nothing';
  }

  heal(): void {
    this.isBlackHole = false;
  }

  /** The answers on existing connections vanish; what clients send arrives. */
  loseAnswers(): void {
    for (const pair of this.pairs) pair.passes = 'deaf';
  }

  async close(): Promise<void> {
    for (const { client, server } of this.pairs) {
      client.destroy();
      server?.destroy();
    }
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private join(client: Socket): void {
    const server = this.isBlackHole ? null : connect(this.target, '127.0.0.1');
    const pair: Pair = { client, server, passes: server === null ? 'nothing' : 'both' };
    this.pairs.add(pair);
    client.setNoDelay(true);
    client.on('error', () => undefined);
    client.on('data', (chunk) => {
      if (pair.passes !== 'nothing') server?.write(chunk);
    });
    client.on('close', () => {
      this.pairs.delete(pair);
      server?.destroy();
    });
    server?.setNoDelay(true);
    server?.on('error', () => undefined);
    server?.on('data', (chunk) => {
      if (pair.passes === 'both') client.write(chunk);
    });
    server?.on('close', () => {
      if (pair.passes !== 'nothing') client.destroy();
    });
  }
}
