import type { Socket } from 'node:net';
import { hostOf, portOf } from '../../security/ssrf-guard/target-url.ts';
import type { CertificateSeen } from './certificate.ts';
import { dial, type OpenThings } from './connections.ts';
import type { HeadOrTrouble } from './exchange.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2, HTTP1_WANTED } from './http2-exchange.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { ProbeRequest } from './probe-request.ts';
import type { ProbeTools } from './probe-tools.ts';
import type { Outgoing } from './request-headers.ts';
import { secure } from './tls-handshake.ts';
import { failed } from './trouble.ts';

/** The journey that a hop belongs to. */
export interface HopContext {
  readonly request: ProbeRequest;
  readonly tools: ProbeTools;
  readonly clock: PhaseClock;
  readonly things: OpenThings;
  /** Told as soon as they are seen: an answer that never comes takes nothing of that away. */
  readonly saw: (seen: { readonly address: string } | { readonly certificate: CertificateSeen }) => void;
}

/** A connection of its own for one request, up to the head of its answer. Some servers want certain things to be asked over HTTP/1.1. */
export async function open(out: Outgoing, context: HopContext): Promise<HeadOrTrouble> {
  const { request, clock, things } = context;
  const head = await ask(out, context, request.options?.http1Only === true);
  if (head !== HTTP1_WANTED) return head;
  things.closeHop();
  clock.enter('dns');
  return ask(out, context, true);
}

async function ask(out: Outgoing, context: HopContext, http1Only: boolean): Promise<HeadOrTrouble> {
  const { request, tools, clock, things, saw } = context;
  const host = hostOf(out.url);
  const targets = await tools.guard.targets(host, request.options?.ipv6Only === true ? 'ipv6' : 'any');
  if (targets.kind === 'own') return targets;
  if (targets.kind !== 'allowed') return failed(targets.kind === 'refused' ? 'target' : 'name', targets.reason);
  clock.enter('connect');
  const dialled = await dial(targets.addresses, portOf(out.url), things);
  if ('kind' in dialled) return dialled;
  const address = dialled.remoteAddress ?? '';
  saw({ address });
  const refusal = tools.guard.refusal(address);
  if (refusal !== null) return failed('target', refusal);
  if (out.url.protocol === 'https:') return askSecurely(dialled, host, out, context, http1Only);
  clock.enter('request');
  return exchangeHttp1(dialled, out, clock, things);
}

async function askSecurely(
  plain: Socket,
  host: string,
  out: Outgoing,
  { tools, clock, things, saw }: HopContext,
  http1Only: boolean,
): Promise<HeadOrTrouble> {
  clock.enter('tls');
  const secured = await secure(plain, host, http1Only, tools.trust, things);
  if (secured.kind !== 'secured') return secured;
  const { certificate, socket } = secured;
  saw({ certificate });
  // Nothing is sent to somebody who cannot prove to be the site.
  if (certificate.problem !== null) return failed('certificate', `the certificate cannot be trusted: ${certificate.problem}`);
  clock.enter('request');
  const exchange = secured.protocol === 'h2' ? exchangeHttp2 : exchangeHttp1;
  return exchange(socket, out, clock, things);
}
