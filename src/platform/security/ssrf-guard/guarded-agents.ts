import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DENIED_PORTS } from './address-rules.ts';
import { TargetRefused, type SsrfGuard } from './ssrf-guard.ts';

type Done = (error: Error | null, stream: Duplex) => void;
type Opened = Duplex | null | undefined;

const SETTINGS = { maxSockets: 64 };

/** Checks before the socket is opened, because `lookup` is not called for IP addresses, and after. */
function guarded(guard: SsrfGuard, { host, port }: ClientRequestArgs, openSocket: () => Opened): Opened {
  if (DENIED_PORTS.has(Number(port ?? 0))) throw new TargetRefused(`port ${String(port)} is not for web sites`);
  const refusal = typeof host === 'string' && isIP(host) !== 0 ? guard.refusal(host) : null;
  if (refusal !== null) throw new TargetRefused(refusal);
  const socket = openSocket();
  return socket instanceof Socket ? guard.watch(socket) : socket;
}

class GuardedHttpAgent extends HttpAgent {
  constructor(private readonly guard: SsrfGuard) {
    super({ ...SETTINGS, lookup: guard.lookup });
  }

  override createConnection(options: ClientRequestArgs, done?: Done): Opened {
    return guarded(this.guard, options, () => super.createConnection(options, done));
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  constructor(private readonly guard: SsrfGuard) {
    super({ ...SETTINGS, lookup: guard.lookup });
  }

  override createConnection(options: ClientRequestArgs, done?: Done): Opened {
    return guarded(this.guard, options, () => super.createConnection(options, done));
  }
}

/** For axios and other clients of Node's agents: `axios.create({ ...guardedAgents(guard), maxRedirects: 0 })`. */
export function guardedAgents(guard: SsrfGuard): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  return { httpAgent: new GuardedHttpAgent(guard), httpsAgent: new GuardedHttpsAgent(guard) };
}
