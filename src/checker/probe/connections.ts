import { connect, type Socket } from 'node:net';
import { connectionTrouble } from './trouble.ts';
import type { Trouble } from './outcome.ts';

interface Destroyable {
  destroy(): unknown;
}

/** Everything that one probe has open; closed at once when it ends, for whatever reason. */
export class OpenThings {
  private readonly open: Destroyable[] = [];
  private closed = false;

  add<T extends Destroyable>(thing: T): T {
    if (this.closed) thing.destroy();
    else this.open.push(thing);
    return thing;
  }

  closeAll(): void {
    this.closed = true;
    for (const thing of this.open.splice(0).reverse()) thing.destroy();
  }

  /** Between two hops. */
  closeHop(): void {
    for (const thing of this.open.splice(0).reverse()) thing.destroy();
  }
}

/** How long an address is tried alone before the next is tried beside it (RFC 8305). A slow site keeps its first attempt. */
const STAGGER_MS = 300;

const ignore = (): void => undefined;

/** A name may have a thousand, and each that does not answer holds a socket until the deadline. */
const MOST_ADDRESSES = 10;

/** The first of the addresses that answers; all of them were judged by the guard. */
export function dial(all: readonly string[], port: number, things: OpenThings): Promise<Socket | Trouble> {
  return new Promise((resolve) => {
    const addresses = all.slice(0, MOST_ADDRESSES);
    const attempts: Socket[] = [];
    let next = 0;
    let pending = 0;
    let trouble: Trouble | undefined;
    let timer: NodeJS.Timeout | undefined;
    const settle = (result: Socket | Trouble): void => {
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
      const socket = things.add(connect({ host, port, noDelay: true }));
      attempts.push(socket);
      const onError = (error: unknown): void => {
        pending--;
        const met = connectionTrouble(error);
        // That we have no way to one of its addresses does not excuse a site that refused us at another.
        if (trouble === undefined || trouble.kind === 'own') trouble = met;
        if (next < addresses.length) attempt();
        else if (pending === 0) settle(trouble);
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
