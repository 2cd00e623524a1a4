import { describe, expect, it } from '@jest/globals';
import { certificate, type Certificate, type CertificateLook, recordLook } from './certificate.decider.ts';
import type { CertificateFacts } from './certificate.events.ts';
import { certificateStatus } from './certificate-status.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1, 12);
const iso = (at: number): string => new Date(at).toISOString();

const facts = (changes: Partial<CertificateFacts> = {}): CertificateFacts => ({
  host: 'site.example',
  port: 443,
  fingerprint: 'aa',
  subject: 'CN=site.example',
  issuer: 'CN=Some CA',
  serial: '01',
  names: ['site.example'],
  validFrom: iso(NOW - 60 * DAY),
  validTo: iso(NOW + 30 * DAY),
  problem: null,
  chain: [],
  ...changes,
});

const look = (state: Certificate, found: CertificateLook | CertificateFacts, at = NOW, sslAlertPeriod = 14) => {
  const asked: CertificateLook = 'kind' in found ? found : { kind: 'seen', certificate: found };
  const events = recordLook(state, asked, { projectId: 'p', url: 'https://site.example', location: 'eu', at, sslAlertPeriod });
  return { types: events.map(({ type }) => type), events, state: events.reduce(certificate.evolve, state) };
};

describe('looking at a certificate', () => {
  it('tells of a certificate once, with the probe that saw it', () => {
    const first = look(certificate.initial, facts());
    expect(first.types).toEqual(['ProbeStarted', 'CertificateSeen']);
    expect(look(first.state, facts(), NOW + DAY).types).toEqual([]);
  });

  it('warns exactly once when expiry enters the alert period, and once when it is over', () => {
    let { state } = look(certificate.initial, facts());
    const recorded = Array.from({ length: 40 }, (_, day) => {
      const step = look(state, facts(), NOW + (day % 2 === 0 ? day : day - 1) * DAY + 1);
      state = step.state;
      return step.types.slice(1);
    });
    expect(recorded.map((types, day) => [day, ...types]).filter(({ length }) => length > 1)).toEqual([
      [16, 'CertificateExpiryApproached'],
      [30, 'CertificateExpired'],
    ]);
  });

  it('recovers when a shorter alert period begins after now, and warns again when it comes', () => {
    const soon = look(certificate.initial, facts(), NOW, 30);
    expect(soon.types).toContain('CertificateExpiryApproached');
    expect(look(soon.state, facts(), NOW - DAY, 30).types).toEqual([]);
    const receded = look(soon.state, facts(), NOW + DAY, 14);
    expect(receded.events[1]).toMatchObject({ type: 'CertificateExpiryReceded', data: { daysLeft: 29, alertPeriod: 14 } });
    expect(look(receded.state, facts(), NOW + DAY, 14).types).toEqual([]);
    expect(look(receded.state, facts({ fingerprint: 'bb' }), NOW + DAY).events[1]).toMatchObject({ data: { resolves: null } });
    expect(look(receded.state, facts(), NOW + 20 * DAY, 14).types).toContain('CertificateExpiryApproached');
  });

  it('says what a new certificate resolves', () => {
    const soon = look(certificate.initial, facts({ validTo: iso(NOW + 3 * DAY) }));
    expect(soon.types).toContain('CertificateExpiryApproached');
    const renewed = look(soon.state, facts({ fingerprint: 'bb', validTo: iso(NOW + 90 * DAY) }), NOW + DAY);
    expect(renewed.events[1]).toMatchObject({ type: 'CertificateSeen', data: { previous: 'aa', resolves: 'soon' } });
  });

  it('tells of a certificate that does not verify, and of its end too', () => {
    const bad = look(certificate.initial, facts({ problem: 'self-signed certificate' }));
    expect(bad.types).toEqual(['ProbeStarted', 'CertificateSeen', 'CertificateDistrusted']);
    expect(look(bad.state, facts({ problem: 'self-signed certificate' }), NOW + 40 * DAY).types).toEqual([
      'ProbeStarted',
      'CertificateExpired',
    ]);
    expect(look(bad.state, facts({ fingerprint: 'bb' })).events[1]).toMatchObject({ data: { resolves: 'untrusted' } });
  });

  it('tells of a certificate that does not verify also where the project moved from one to another', () => {
    const left = look(certificate.initial, facts({ problem: 'self-signed certificate' }));
    const entered = facts({ host: 'other.example', fingerprint: 'bb', problem: 'self-signed certificate' });
    const moved = look(left.state, entered);
    expect(moved.types).toEqual(['ProbeStarted', 'CertificateSeen', 'CertificateDistrusted']);
    expect(look(moved.state, { ...entered, fingerprint: 'cc' }).types).toEqual(['ProbeStarted', 'CertificateSeen']);
  });

  it('does not tell at every probe of two servers that answer in turn', () => {
    let { state } = look(certificate.initial, facts());
    const changes = Array.from({ length: 240 }, (_, probe) => {
      const step = look(state, facts({ fingerprint: probe % 2 === 0 ? 'bb' : 'aa' }), NOW + probe * 15_000);
      state = step.state;
      return step.types.length > 0 ? 1 : 0;
    }).reduce<number>((sum, one) => sum + one, 0);
    expect(changes).toBe(1);
  });

  it('keeps what it knows when a look fails, and says why it knows nothing', () => {
    const failure = { kind: 'failed', host: 'site.example', port: 443, reason: 'connection refused' } as const;
    const first = look(certificate.initial, failure);
    expect(first.types).toEqual(['ProbeStarted', 'CertificateLookFailed']);
    expect(look(first.state, failure, NOW + DAY).types).toEqual([]);
    expect(look(look(first.state, facts()).state, failure).types).toEqual([]);
  });
});

describe('the status of a certificate', () => {
  const project = { url: 'https://site.example', sslAlertPeriod: 14 };
  const known = (changes: Partial<CertificateFacts>) => ({ certificate: facts(changes), failure: null });
  const status = (left: number, changes: Partial<CertificateFacts> = {}) =>
    certificateStatus(known({ validTo: iso(NOW + left), ...changes }), project, NOW);

  it.each([
    ['ok', 15 * DAY, 15],
    ['soon', 15 * DAY - 1, 14],
    ['soon', 14 * DAY, 14],
    ['soon', DAY - 1, 0],
    ['soon', 1, 0],
    ['expired', 0, 0],
    ['expired', -5 * DAY, 0],
  ] as const)('is %s with %i ms left', (sslStatus, left, sslDaysLeft) => {
    expect(status(left)).toMatchObject({ sslStatus, sslDaysLeft, sslExpiration: iso(NOW + left) });
  });

  it('is noinfo with the reason when it does not verify, expired past its end', () => {
    expect(status(5 * DAY, { problem: 'wrong host' })).toMatchObject({ sslStatus: 'noinfo', sslError: 'wrong host' });
    expect(status(-DAY, { problem: 'wrong host' })).toMatchObject({ sslStatus: 'expired' });
  });

  it('is nossl without TLS, and noinfo before the first look or after the url moved', () => {
    expect(certificateStatus(known({}), { ...project, url: 'http://site.example' }, NOW)).toEqual({
      sslStatus: 'nossl',
      sslExpiration: null,
      sslError: null,
    });
    const nothing = { sslStatus: 'noinfo', sslExpiration: null, sslError: null };
    expect(certificateStatus(null, project, NOW)).toEqual(nothing);
    expect(certificateStatus(known({}), { ...project, url: 'https://other.example' }, NOW)).toEqual(nothing);
    expect(certificateStatus(known({}), { ...project, url: 'https://site.example:8443/a' }, NOW)).toEqual(nothing);
  });
});
