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
import type { Trouble } from './outcome.ts';
import { secure } from './tls-handshake.ts';
import { failed } from './trouble.ts';

/** The journey that a hop belongs to. */
export interface HopContext {
  readonly request: ProbeRequest;
  readonly tools: ProbeTools;
  readonly clock: PhaseClock;
  readonly things: OpenThings;
}

interface Opened {
  readonly head: HeadOrTrouble;
  readonly certificate?: CertificateSeen;
  readonly address?: string;
}

/** A connection of its own for one request, up to the head of its answer. */
export async function open(out: Outgoing, context: HopContext): Promise<Opened> {
  const { request, tools, clock, things } = context;
  const host = hostOf(out.url);
  const targets = await tools.guard.targets(host, request.options?.ipv6Only === true ? 'ipv6' : 'any');
  if (targets.kind === 'own') return { head: targets };
  if (targets.kind !== 'allowed') return { head: failed(targets.kind === 'refused' ? 'target' : 'name', targets.reason) };
  clock.enter('connect');
  const dialled = await dial(targets.addresses, portOf(out.url), things);
  if ('kind' in dialled) return { head: dialled };
  const address = dialled.remoteAddress ?? '';
  const refusal = tools.guard.refusal(address);
  if (refusal !== null) return { head: failed('target', refusal), address };
  if (out.url.protocol === 'http:') {
    clock.enter('request');
    return { head: await exchangeHttp1(dialled, out, clock, things), address };
  }
  return { ...(await openSecurely(dialled, host, out, context)), address };
}

async function openSecurely(plain: Socket, host: string, out: Outgoing, { request, tools, clock, things }: HopContext): Promise<Opened> {
  clock.enter('tls');
  const secured = await secure(plain, host, request.options?.http1Only === true, tools.trust, things);
  if (secured.kind !== 'secured') return { head: secured };
  const { certificate, socket } = secured;
  // Nothing is sent to somebody who cannot prove to be the site.
  if (certificate.problem !== null) return { head: distrusted(certificate.problem), certificate };
  clock.enter('request');
  const exchange = secured.protocol === 'h2' ? exchangeHttp2 : exchangeHttp1;
  return { head: await exchange(socket, out, clock, things), certificate };
}

const distrusted = (problem: string): Trouble => failed('certificate', `the certificate cannot be trusted: ${problem}`);
