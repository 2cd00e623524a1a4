import { connect, type Socket } from 'node:net';
import { connectionFailure } from './failure-reasons.ts';
import type { ExchangeFailure } from './outcome.ts';

interface Destroyable {
  destroy(): unknown;
}

/** The open sockets, streams and decoders of one probe, destroyed when it ends for any reason. */
export class OpenResources {
  private readonly open: Destroyable[] = [];
  private isClosed = false;

  add<T extends Destroyable>(resource: T): T {
    if (this.isClosed) resource.destroy();
    else this.open.push(resource);
    return resource;
  }

  closeAll(): void {
    this.isClosed = true;
    this.closeHop();
  }

  /** Keeps accepting resources, for the next hop. */
  closeHop(): void {
    for (const resource of this.open.splice(0).reverse()) resource.destroy();
  }
}

/** Delay before the next address is tried in parallel (Happy Eyeballs, RFC 8305); a slow attempt continues. */
const STAGGER_MS = 300;

const ignore = (): void => undefined;

/** A name may have a thousand addresses, and each that does not answer holds a socket until the deadline. */
const MAX_ADDRESSES = 10;

/** Connects to the first address that answers; the SSRF guard has approved all of them. */
export function dial(all: readonly string[], port: number, resources: OpenResources): Promise<Socket | ExchangeFailure> {
  return new Promise((resolve) => {
    const addresses = all.slice(0, MAX_ADDRESSES);
    const attempts: Socket[] = [];
    let next = 0;
    let pending = 0;
    let failure: ExchangeFailure | undefined;
    let timer: NodeJS.Timeout | undefined;
    const settle = (result: Socket | ExchangeFailure): void => {
      clearTimeout(timer);
      next = addresses.length;
      for (const attempt of attempts) if (attempt !== result) attempt.destroy();
      resolve(result);
    };
    const attempt = (): void => {
      clearTimeout(timer);
      const host = addresses[next++];
      if (host === undefined) return;
      pending++;
      const socket = resources.add(connect({ host, port, noDelay: true }));
      attempts.push(socket);
      const onError = (error: unknown): void => {
        pending--;
        const latest = connectionFailure(error);
        // A conclusive failure at one address outweighs a missing route from this machine to another.
        if (failure === undefined || failure.kind === 'inconclusive') failure = latest;
        if (next < addresses.length) attempt();
        else if (pending === 0) settle(failure);
      };
      socket.once('error', onError);
      socket.once('connect', () => {
        socket.removeListener('error', onError);
        socket.on('error', ignore);
        settle(socket);
      });
      if (next < addresses.length) timer = setTimeout(attempt, STAGGER_MS);
    };
    attempt();
  });
}
