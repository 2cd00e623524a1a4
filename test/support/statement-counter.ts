import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy before Postgres that counts the statements which a program sends, by their text. */
export class StatementCounter {
  private readonly sockets = new Set<Socket>();
  private counts = new Map<string, number>();

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {
    listener.on('connection', (client) => {
      this.join(client);
    });
  }

  static async before(databaseUrl: string): Promise<StatementCounter> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new StatementCounter(listener, new URL(databaseUrl));
  }

  /** Of the same database, through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.listener.address() as AddressInfo).port);
    return url.href;
  }

  /** Since the last call, the most frequent first. */
  take(): readonly (readonly [text: string, count: number])[] {
    const taken = [...this.counts].sort(([, one], [, other]) => other - one);
    this.counts = new Map();
    return taken;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const part = (): void => {
      for (const socket of [client, server]) this.sockets.delete(socket.destroy());
    };
    for (const socket of [client, server]) this.sockets.add(socket.setNoDelay(true).on('error', part).on('close', part));
    const read = statementReader((text) => this.counts.set(text, (this.counts.get(text) ?? 0) + 1));
    client.on('data', (chunk) => {
      read(chunk);
      server.write(chunk);
    });
    server.on('data', (chunk) => client.write(chunk));
  }
}

/** Frontend messages of Postgres' protocol: a Query has its text; a Bind names a statement whose text came with its Parse. */
function statementReader(onStatement: (text: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let hasStarted = false;
  const texts = new Map<string, string>();
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = hasStarted ? 1 : 0;
      if (rest.length < header + 4) return;
      const end = header + rest.readInt32BE(header);
      if (rest.length < end) return;
      const [type, body] = [String.fromCharCode(rest[0] ?? 0), rest.subarray(header + 4, end)];
      if (hasStarted) {
        const [first = '', second = ''] = body.toString('latin1').split('\0', 2);
        if (type === 'Q') onStatement(first);
        else if (type === 'P') texts.set(first, second);
        else if (type === 'B') onStatement(texts.get(second) ?? second);
      }
      hasStarted = true;
      rest = rest.subarray(end);
    }
  };
}
