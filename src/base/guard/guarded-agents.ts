import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DENIED_PORTS } from './denied-ports.ts';
import { TargetRefused, type Guard } from './guard.ts';

type Done = (error: Error | null, stream: Duplex) => void;

function refusal(guard: Guard, { host, port }: ClientRequestArgs): string | null {
  if (DENIED_PORTS.has(Number(port ?? 0))) return `port ${String(port)} is not for web sites`;
  return host != null && isIP(host) !== 0 ? guard.refusal(host) : null;
}

class GuardedHttpAgent extends HttpAgent {
  constructor(private readonly guard: Guard) {
    super({ lookup: guard.lookup, maxSockets: 64 });
  }

  override createConnection(options: ClientRequestArgs, done?: Done): Duplex | null | undefined {
    const refused = refusal(this.guard, options);
    if (refused !== null) throw new TargetRefused(refused);
    const socket = super.createConnection(options, done);
    return socket == null ? socket : this.guard.watch(socket as Socket);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  constructor(private readonly guard: Guard) {
    super({ lookup: guard.lookup, maxSockets: 64 });
  }

  override createConnection(options: ClientRequestArgs, done?: Done): Duplex | null | undefined {
    const refused = refusal(this.guard, options);
    if (refused !== null) throw new TargetRefused(refused);
    const socket = super.createConnection(options, done);
    return socket == null ? socket : this.guard.watch(socket as Socket);
  }
}

/** For axios and every other client of node's agents: `axios.create({ ...guardedAgents(guard), maxRedirects: 0 })`. */
export function guardedAgents(guard: Guard): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  return { httpAgent: new GuardedHttpAgent(guard), httpsAgent: new GuardedHttpsAgent(guard) };
}
