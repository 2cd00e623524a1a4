import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { hostOf, portOf } from '../../platform/security/ssrf-guard/target-url.ts';
import type { CertificateSeen } from './certificate.ts';
import { dial, type OpenResources } from './connections.ts';
import type { HeadOrFailure } from './exchange.ts';
import { failed } from './failure-reasons.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2, HTTP1_REQUIRED } from './http2-exchange.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { ProbeRequest } from './probe-request.ts';
import { RESUMPTION_FAILED, secure } from './tls-handshake.ts';
import type { TlsSessions } from './tls-sessions.ts';

/** Shared by all probes of a process. */
export interface ProbeTools {
  readonly guard: SsrfGuard;
  readonly trust: SecureContext;
  readonly sessions: TlsSessions;
  readonly largeBodies: ConcurrencyLimit;
}

/** The journey that a hop belongs to. */
export interface HopContext {
  readonly request: ProbeRequest;
  readonly tools: ProbeTools;
  readonly clock: PhaseClock;
  readonly resources: OpenResources;
  /** Called at once, so that a timeout later in the hop does not lose what was seen. */
  readonly onSeen: (seen: { readonly address: string } | { readonly certificate: CertificateSeen | null }) => void;
}

interface HandshakeOptions {
  readonly http1Only: boolean;
  readonly mayResume: boolean;
}

/**
 * Sends one request over a connection of its own and reads the head of the answer; falls back to HTTP/1.1 when the server demands it, and to a full
 * handshake when it breaks off a resumed one.
 */
export async function requestHead(request: OutgoingRequest, context: HopContext): Promise<HeadOrFailure> {
  const { resources, clock } = context;
  let handshake: HandshakeOptions = { http1Only: context.request.options?.http1Only === true, mayResume: true };
  for (;;) {
    const head = await connectAndSend(request, context, handshake);
    if (head === HTTP1_REQUIRED && !handshake.http1Only) handshake = { ...handshake, http1Only: true };
    else if (head === RESUMPTION_FAILED) handshake = { ...handshake, mayResume: false };
    else return head;
    resources.closeHop();
    clock.enter('dns');
  }
}

async function connectAndSend(request: OutgoingRequest, context: HopContext, handshake: HandshakeOptions): Promise<HeadOrFailure> {
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
  if (request.url.protocol === 'https:') return sendOverTls(socket, host, request, context, handshake);
  clock.enter('request');
  return exchangeHttp1(socket, request, clock, resources);
}

async function sendOverTls(
  plain: Socket,
  host: string,
  request: OutgoingRequest,
  { request: { resumeFor: scope }, tools, clock, resources, onSeen }: HopContext,
  { http1Only, mayResume }: HandshakeOptions,
): Promise<HeadOrFailure> {
  clock.enter('tls');
  const peer = { host, port: portOf(request.url), address: plain.remoteAddress ?? '', http1Only };
  const resumption = scope === undefined || !mayResume ? undefined : { sessions: tools.sessions, peer: { ...peer, scope } };
  const secured = await secure(plain, host, http1Only, tools.trust, resources, resumption);
  if (secured.kind !== 'secured') return secured;
  const { certificate, socket } = secured;
  onSeen({ certificate });
  // Headers may carry credentials: they are sent only to a verified host.
  if (certificate !== null && certificate.problem !== null)
    return failed('certificate', `the certificate cannot be trusted: ${certificate.problem}`);
  clock.enter('request');
  const exchange = secured.protocol === 'h2' ? exchangeHttp2 : exchangeHttp1;
  return exchange(socket, request, clock, resources);
}
