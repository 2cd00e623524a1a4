import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The wire between client and double: it can be cut, can stall with every connection open, and keeps its port while the server behind it changes. */
export class Line {
  port = 0;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private server: Server | undefined;
  private stalled = false;
  private losing = false;

  constructor(private readonly target: () => { readonly host: string; readonly port: number }) {}

  async open(): Promise<void> {
    const server = createServer((near) => {
      this.join(near);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Stops listening and cuts all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined));
    this.cut();
    await closed;
    this.server = undefined;
  }

  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    this.pairs.clear();
  }

  /** Cuts the connection at the next reply, after the server has done the work. */
  loseNextReply(): void {
    this.losing = true;
  }

  /** Like a process that was stopped: the connections stay, nothing is answered. */
  stall(): void {
    this.stalled = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  resume(): void {
    this.stalled = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  private join(near: Socket): void {
    const { host, port } = this.target();
    const far = connect(port, host);
    const pair = [near, far] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true);
      from.on('data', (bytes) => {
        if (!this.losing || from === near) {
          to.write(bytes);
          return;
        }
        this.losing = false;
        this.cut();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
      if (this.stalled) from.pause();
    }
  }
}
