import { describe, expect, it } from '@jest/globals';
import { samples } from '../../../test/samples/samples.ts';
import { catalogue, type Events, type EventType } from '../../events.ts';
import { effectIn } from './alert-effect.ts';

/** What the sample of an event with changes means, in project p. */
function turn<Type extends EventType>(type: Type, changes: Partial<Events[Type]> = {}, scope = 'project-p') {
  return effectIn({
    ...{
      n: 1,
      id: 'e',
      stream: scope,
      revision: 0,
      type,
      version: catalogue[type].version,
      scope,
      recordedAt: '2026-01-01T00:00:00.000000Z',
    },
    data: { ...samples('p')[type], ...changes },
    meta: {
      actor: { kind: 'checker', id: 'eu' },
      correlationId: 'e',
      causationId: null,
      commandId: 'c',
      occurredAt: '2026-01-01T00:00:00.000Z',
    },
  });
}
const { evidence: probe } = samples('p').UptimeWentDown;
const since = '2026-01-01T00:00:00.000Z';

describe('the alert effects of a check', () => {
  const failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer'] } as const;

  it('are a confirmed failure, its change and its recovery', () => {
    const subject = { subject: 'check c', projectId: 'p' };
    expect(turn('CheckFailed', { checkId: 'c', since, failing, confirmed: true })).toMatchObject({
      ...{ kind: 'problem', ...subject },
      facts: { about: 'check', checkId: 'c', status: 'timeout', failures: ['no answer'], since, event: 'e' },
    });
    expect(turn('CheckFailureChanged', { checkId: 'c', to: failing })).toMatchObject({
      kind: 'changed',
      ...subject,
      facts: { status: 'timeout' },
    });
    expect(turn('CheckRecovered', { checkId: 'c', failedSince: since, since: '2026-01-01T01:00:00.000Z' })).toMatchObject({
      ...{ kind: 'recovery', ...subject },
      facts: { status: 'ok', failures: [], since, until: '2026-01-01T01:00:00.000Z' },
    });
  });

  it('end for a check that never passed, is switched off or deleted', () => {
    const ended = { kind: 'ended', subjects: ['check c'] };
    expect(turn('CheckFailed', { checkId: 'c', confirmed: false })).toEqual(ended);
    expect(turn('CheckSwitched', { checkId: 'c', to: false })).toEqual(ended);
    expect(turn('CheckDeleted', { checkId: 'c' })).toEqual(ended);
    expect(turn('CheckSwitched', { checkId: 'c', to: true })).toBeNull();
    expect([turn('CheckPassed'), turn('CheckSuspected'), turn('CheckSuspicionCleared')]).toEqual([null, null, null]);
  });
});

describe('the alert effects of a site', () => {
  it('are going down and coming back, but not before it was up once', () => {
    const down = (changes: Partial<Events['UptimeWentDown']>) => turn('UptimeWentDown', { before: 'up', since, ...changes });
    expect(down({ outcome: 'down', evidence: { ...probe, reason: 'refused' } })).toMatchObject({
      ...{ kind: 'problem', subject: 'uptime p', projectId: 'p' },
      facts: { about: 'uptime', status: 'error', failures: ['refused'], since },
    });
    expect(down({ outcome: 'down', evidence: { ...probe, reason: null } })).toMatchObject({ facts: { failures: ['no usable answer'] } });
    expect(down({ outcome: 'timeout', evidence: { ...probe, reason: null } })).toMatchObject({
      facts: { status: 'timeout', failures: ['no answer in time'] },
    });
    expect(down({ before: 'unknown' })).toBeNull();
    expect(turn('UptimeFailureChanged', { to: 'timeout' })).toMatchObject({ kind: 'changed', facts: { status: 'timeout' } });
    expect(turn('UptimeFailureChanged', { to: 'down' })).toMatchObject({ kind: 'changed', facts: { status: 'error' } });
    expect(turn('UptimeWentUp', { downSince: since })).toMatchObject({
      kind: 'recovery',
      subject: 'uptime p',
      facts: { status: 'ok', since },
    });
  });

  it('include a redirect that stops working, not one that never worked or fails with another address', () => {
    expect((['ok', 'unreachable'] as const).map((before) => turn('RedirectFailed', { before }))).toMatchObject([
      { kind: 'problem', continues: false, subject: 'redirect p', facts: { status: 'error' } },
      { kind: 'problem', continues: true },
    ]);
    expect([turn('RedirectFailed', { before: null }), turn('RedirectFailed', { before: 'failed' })]).toEqual([null, null]);
    expect(turn('RedirectVerified')).toMatchObject({ kind: 'recovery', subject: 'redirect p' });
  });

  it('include a certificate that expires or does not verify', () => {
    const words = (daysLeft: number) =>
      turn('CertificateExpiryApproached', { host: 'a.example', validTo: '2026-01-15T00:00:00.000Z', daysLeft });
    for (const [days, said] of [
      [0, 'in less than a day'],
      [1, 'in 1 day'],
      [2, 'in 2 days'],
    ] as const)
      expect(words(days)).toMatchObject({
        ...{ kind: 'problem', subject: 'certificate p' },
        facts: { status: 'error', failures: [`the certificate of a.example expires ${said}, on 2026-01-15`] },
      });
    expect([turn('CertificateExpired'), turn('CertificateDistrusted')]).toMatchObject([{ kind: 'problem' }, { kind: 'problem' }]);
    expect(turn('CertificateSeen', { resolves: null })).toBeNull();
    expect(turn('CertificateExpiryReceded', { host: 'a.example', validTo: '2026-01-15T00:00:00.000Z', alertPeriod: 1 })).toMatchObject({
      ...{ kind: 'recovery', subject: 'certificate p' },
      facts: { status: 'ok', failures: ['it expires on 2026-01-15, later than the alert period of 1 day'] },
    });
  });

  it('end with the monitoring of uptime, certificate and redirect', () => {
    expect(turn('ProjectUrlChanged', { to: 'http://a.example' })).toEqual({ kind: 'ended', subjects: ['certificate p', 'redirect p'] });
    expect(turn('UptimePeriodChanged', { to: 'false' })).toEqual({ kind: 'ended', subjects: ['uptime p'] });
    expect(turn('RedirectWatchSwitched', { to: false })).toEqual({ kind: 'ended', subjects: ['redirect p'] });
    expect([
      turn('ProjectUrlChanged', { to: 'https://a.example' }),
      turn('UptimePeriodChanged', { to: '15' }),
      turn('RedirectWatchSwitched', { to: true }),
    ]).toEqual([null, null, null]);
    expect(turn('ProjectDeleted')).toEqual({ kind: 'project ended', projectId: 'p' });
    expect(turn('MemberRemoved', { userId: 7 })).toEqual({ kind: 'member left', projectId: 'p', userId: 7 });
  });
});

it('events of an account review its report schedule or end it', () => {
  for (const type of ['AccountOpened', 'EmailConfirmed', 'TimezoneChanged', 'ReportPeriodChanged'] as const)
    expect(turn(type, {}, 'account-7')).toEqual({ kind: 'reports changed', userId: 7 });
  expect(turn('AccountErased', { userId: 7 }, 'account-7')).toEqual({ kind: 'account ended', userId: 7 });
});

it('an unreadable event differs from one without an effect', () => {
  expect(turn('CheckFailed', { failing: undefined, confirmed: true } as never)).toBe('unreadable');
});
