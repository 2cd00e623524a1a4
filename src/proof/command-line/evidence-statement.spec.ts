import { describe, expect, it } from '@jest/globals';
import { ANSWERED, REFUSED } from '../../../test/support/probe-outcomes.ts';
import { exchangeOf } from '../../checker/evidence/exchange-of.ts';
import { type ConclusiveOutcome, NO_PHASES } from '../../checker/probe/outcome.ts';
import type { SealedEvent } from '../../client/proofs/leaf.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import { statementProblem } from './evidence-statement.ts';

const url = 'http://site.example/';
const journey = { url, hops: [], phases: NO_PHASES, certificate: null, address: '192.0.2.1', sent: null };
const shown = { issuer: 'CN=CA', names: ['site.example'], validTo: '2027-01-01T00:00:00.000Z', key: 'RSA 2048' };
const certificate = { ...shown, subject: '', serial: '01', validFrom: '', fingerprint: 'aa', chain: [], problem: null };
const event = (type: string, data: object): SealedEvent => ({
  ...{ n: 1, id: 'e', stream: 's', revision: 0, version: 1, scope: 'project-p', recordedAt: '2026-01-01T00:00:00.000Z', meta: {} },
  ...{ type, data },
});
const exchange = (kind: Exchange['kind'], outcome: ConclusiveOutcome): Exchange =>
  exchangeOf({ kind, checkId: null, at: 0, location: 'eu', outcome, judged: null });
const answered = (more: object = {}): ConclusiveOutcome => ({ ...journey, ...ANSWERED, ...more });
const refused = (more: object = {}): ConclusiveOutcome => ({ ...journey, ...REFUSED, ...more });

describe('what an event of a watch states', () => {
  const ended = (finalUrl: string | null, reason: string | null = null) => ({ url, finalUrl, reason });
  const hop = { url, status: 301, location: 'https://site.example/', to: 'https://site.example/', phases: NO_PHASES };
  const up = { evidence: { outcome: 'up', httpStatus: 200, reason: null } };
  const down = { evidence: { outcome: 'down', httpStatus: null, reason: REFUSED.reason } };
  const seen = { certificate: { ...certificate, host: 'site.example', port: 443 } };

  it.each<[string, object, Exchange]>([
    ['UptimeWentUp', up, exchange('uptime', answered())],
    ['UptimeWentDown', down, exchange('uptime', refused())],
    ['CertificateSeen', seen, exchange('certificate', answered({ certificate }))],
    ['CertificateExpired', { validTo: shown.validTo }, exchange('certificate', refused({ certificate }))],
    ['CertificateDistrusted', { problem: 'untrusted' }, exchange('certificate', refused({ certificate }))],
    ['CertificateLookFailed', { reason: REFUSED.reason }, exchange('certificate', refused())],
    ['CertificateLookFailed', { reason: 'no certificate was shown' }, exchange('certificate', answered())],
    ['RedirectVerified', ended('https://site.example/'), exchange('redirect', answered({ url: hop.to, hops: [hop] }))],
    ['RedirectVerified', ended('https://site.example/'), exchange('redirect', refused({ url: hop.to, hops: [hop] }))],
    ['RedirectFailed', ended(url), exchange('redirect', answered())],
    ['RedirectUnreachable', ended(null, REFUSED.reason), exchange('redirect', refused())],
  ])('%s follows from what was found', (type, data, found) => {
    expect(statementProblem(event(type, data), found)).toBeNull();
  });

  it.each<[string, object, Exchange, RegExp]>([
    ['UptimeWentUp', up, exchange('uptime', refused()), /states .*"up".* found .*"down"/],
    ['UptimeWentUp', up, exchange('uptime', answered({ status: 302 })), /states .*200.* found .*302/],
    ['UptimeWentDown', { evidence: { ...down.evidence, reason: 'x' } }, exchange('uptime', refused()), /states "x"/],
    ['CertificateSeen', seen, exchange('certificate', answered()), /the exchange has none/],
    ['CertificateSeen', seen, exchange('certificate', answered({ certificate: { ...certificate, names: ['b'] } })), /found .*"b"/],
    ['CertificateExpired', { validTo: '2026-01-01' }, exchange('certificate', answered({ certificate })), /states "2026-01-01"/],
    ['CertificateLookFailed', { reason: 'x' }, exchange('certificate', refused()), /states "x"/],
    ['CertificateLookFailed', { reason: REFUSED.reason }, exchange('certificate', refused({ certificate })), /found .*CN=CA/],
    ['RedirectVerified', ended(url), exchange('redirect', answered()), /is RedirectFailed/],
    ['RedirectVerified', ended('https://site.example/'), exchange('redirect', answered()), /found "http:/],
    ['RedirectUnreachable', ended(null, REFUSED.reason), exchange('redirect', answered()), /states null/],
    ['RedirectUnreachable', ended(null, 'x'), exchange('redirect', refused()), /states "x"/],
    ['UptimeWentUp', up, exchange('redirect', answered()), /the exchange is one of kind redirect/],
    ['ProjectCreated', {}, exchange('redirect', answered()), /the exchange is one of kind redirect/],
  ])('%s is refuted where something else was found', (type, data, found, reason) => {
    expect(statementProblem(event(type, data), found)).toMatch(reason);
  });
});
