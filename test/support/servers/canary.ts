import { createServer, type AddressInfo, type Server } from 'node:net';

/** A server that must never be reached; it counts connections. */
export interface Canary {
  readonly port: number;
  /** The data received from each connection. */
  readonly visits: readonly string[];
  close(): Promise<void>;
}

/** On every address of this machine, of both families where it has them; or on one address. */
export async function startCanary(host?: string, wantedPort = 0): Promise<Canary> {
  const visits: string[] = [];
  const server = createServer((socket) => {
    const address = socket.localAddress ?? '';
    const place = visits.push(address) - 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      visits[place] = `${address} ${chunk.toString('latin1').slice(0, 200)}`;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\ncaught!');
    });
  });
  for (const address of host === undefined ? ['::', '0.0.0.0'] : [host]) if (await listening(server, address, wantedPort)) break;
  const { port } = server.address() as AddressInfo;
  return {
    port,
    visits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

const listening = (server: Server, host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = (): void => {
      resolve(false);
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
