import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Identity } from './certificates.ts';

/** A server on loopback on a free port. */
export interface Site {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

async function listening(server: Server, scheme: string, host = '127.0.0.1'): Promise<Site> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export const startHttp = (listener: RequestListener, host?: string): Promise<Site> => listening(createHttp(listener), 'http', host);

/** Its certificate can be renewed while it runs. */
export async function startHttps(
  identity: Identity,
  listener: RequestListener,
): Promise<Site & { readonly setIdentity: (renewed: Identity) => void }> {
  const server = createHttps({ ...identity }, listener);
  return {
    ...(await listening(server, 'https')),
    setIdentity: (renewed) => {
      server.setSecureContext({ ...renewed });
    },
  };
}

export const startHttp2 = (
  identity: Identity,
  listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Promise<Site> => listening(createSecureServer({ ...identity, allowHTTP1: true }, listener), 'https');

/** Answers raw bytes once data arrived. */
export const startRaw = (onRequest: (socket: Socket) => void): Promise<Site> =>
  listening(
    createTcp((socket) => socket.once('data', () => onRequest(socket))),
    'http',
  );

/** Handles a connection before any data arrives. */
export const startSilent = (onConnection: (socket: Socket) => void, host?: string): Promise<Site> =>
  listening(createTcp(onConnection), 'http', host);
