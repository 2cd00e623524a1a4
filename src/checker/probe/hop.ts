import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { hostOf, portOf } from '../../security/ssrf-guard/target-url.ts';
import type { CertificateSeen } from './certificate.ts';
import { dial, type OpenResources } from './connections.ts';
import type { HeadOrFailure } from './exchange.ts';
import { failed } from './failure-reasons.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2, HTTP1_REQUIRED } from './http2-exchange.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { ProbeRequest } from './probe-request.ts';
import { secure } from './tls-handshake.ts';

/** Shared by all probes of a process. */
export interface ProbeTools {
  readonly guard: SsrfGuard;
  readonly trust: SecureContext;
  readonly largeBodies: ConcurrencyLimit;
}

/** The journey that a hop belongs to. */
export interface HopContext {
  readonly request: ProbeRequest;
  readonly tools: ProbeTools;
  readonly clock: PhaseClock;
  readonly resources: OpenResources;
  /** Called at once, so that a timeout later in the hop does not lose what was seen. */
  readonly onSeen: (seen: { readonly address: string } | { readonly certificate: CertificateSeen }) => void;
}

/** Sends one request over a connection of its own and reads the head of the answer; falls back to HTTP/1.1 when the server demands it. */
export async function requestHead(request: OutgoingRequest, context: HopContext): Promise<HeadOrFailure> {
  const { resources, clock } = context;
  const head = await connectAndSend(request, context, context.request.options?.http1Only === true);
  if (head !== HTTP1_REQUIRED) return head;
  resources.closeHop();
  clock.enter('dns');
  return connectAndSend(request, context, true);
}

async function connectAndSend(request: OutgoingRequest, context: HopContext, http1Only: boolean): Promise<HeadOrFailure> {
  const { tools, clock, resources, onSeen } = context;
  const host = hostOf(request.url);
  const targets = await tools.guard.targets(host, context.request.options?.ipv6Only === true ? 'ipv6' : 'any');
  if (targets.kind === 'inconclusive') return targets;
  if (targets.kind !== 'allowed') return failed(targets.kind === 'refused' ? 'target' : 'name', targets.reason);
  clock.enter('connect');
  const socket = await dial(targets.addresses, portOf(request.url), resources);
  if ('kind' in socket) return socket;
  const address = socket.remoteAddress ?? '';
  onSeen({ address });
  const refusal = tools.guard.refusal(address, host);
  if (refusal !== null) return failed('target', refusal);
  if (request.url.protocol === 'https:') return sendOverTls(socket, host, request, context, http1Only);
  clock.enter('request');
  return exchangeHttp1(socket, request, clock, resources);
}

async function sendOverTls(
  plain: Socket,
  host: string,
  request: OutgoingRequest,
  { tools, clock, resources, onSeen }: HopContext,
  http1Only: boolean,
): Promise<HeadOrFailure> {
  clock.enter('tls');
  const secured = await secure(plain, host, http1Only, tools.trust, resources);
  if (secured.kind !== 'secured') return secured;
  const { certificate, socket } = secured;
  onSeen({ certificate });
  // Headers may carry credentials: they are sent only to a verified host.
  if (certificate.problem !== null) return failed('certificate', `the certificate cannot be trusted: ${certificate.problem}`);
  clock.enter('request');
  const exchange = secured.protocol === 'h2' ? exchangeHttp2 : exchangeHttp1;
  return exchange(socket, request, clock, resources);
}
