import type { Socket } from 'node:net';
import { hostOf, portOf } from '../../base/guard/target-url.ts';
import type { CertificateSeen } from './certificate.ts';
import { dial, type OpenThings } from './connections.ts';
import type { HeadOrTrouble } from './exchange.ts';
import { exchangeHttp1 } from './http1-exchange.ts';
import { exchangeHttp2 } from './http2-exchange.ts';
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

/** A connection of its own for one request, up to the head of its answer. */
export async function open(out: Outgoing, context: HopContext): Promise<HeadOrTrouble> {
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
  if (out.url.protocol === 'https:') return openSecurely(dialled, host, out, context);
  clock.enter('request');
  return exchangeHttp1(dialled, out, clock, things);
}

async function openSecurely(
  plain: Socket,
  host: string,
  out: Outgoing,
  { request, tools, clock, things, saw }: HopContext,
): Promise<HeadOrTrouble> {
  clock.enter('tls');
  const secured = await secure(plain, host, request.options?.http1Only === true, tools.trust, things);
  if (secured.kind !== 'secured') return secured;
  const { certificate, socket } = secured;
  saw({ certificate });
  // Nothing is sent to somebody who cannot prove to be the site.
  if (certificate.problem !== null) return failed('certificate', `the certificate cannot be trusted: ${certificate.problem}`);
  clock.enter('request');
  const exchange = secured.protocol === 'h2' ? exchangeHttp2 : exchangeHttp1;
  return exchange(socket, out, clock, things);
}
