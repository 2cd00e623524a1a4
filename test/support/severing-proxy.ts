import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy between a client and a server on loopback that cuts connections on demand. */
export class SeveringProxy {
  private readonly pairs = new Set<{ client: Socket; server: Socket }>();
  private losing = false;
  private refusing = false;

  private constructor(
    private readonly listener: Server,
    private readonly port: number,
  ) {
    listener.on('connection', (client) => {
      if (this.refusing) client.destroy();
      else this.join(client);
    });
  }

  static async before(port: number): Promise<SeveringProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new SeveringProxy(listener, port);
  }

  get address(): AddressInfo {
    return this.listener.address() as AddressInfo;
  }

  /** Cuts the connection instead of the next reply, after the server has done the work. */
  loseNextReply(): void {
    this.losing = true;
  }

  dropConnections(): void {
    for (const { client, server } of this.pairs) {
      client.destroy();
      server.destroy();
    }
  }

  /** Refuses new connections. */
  refuse(yes: boolean): void {
    this.refusing = yes;
  }

  async close(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private join(client: Socket): void {
    const server = connect(this.port, '127.0.0.1');
    const pair = { client, server };
    this.pairs.add(pair);
    const part = () => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', part).on('close', part);
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (!this.losing) client.write(chunk);
      else {
        this.losing = false;
        part();
      }
    });
  }
}
