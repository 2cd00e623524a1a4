import { expect, it } from '@jest/globals';
import { catalogue } from '../../domain/events.ts';
import { glyphOfEvent, hasEvidence, isShownBy } from './event-kinds.ts';

const types = Object.keys(catalogue);

it('shows every event under one filter at least, and no verdict under changes', () => {
  for (const type of types) expect(isShownBy('all', type)).toBe(true);
  expect(types.filter((type) => isShownBy('changes', type) && isShownBy('failures', type))).toEqual([]);
  expect(isShownBy('changes', 'RulesChanged')).toBe(true);
});

it('knows events of the catalogue only', () => {
  for (const type of ['CheckFailed', 'UptimeWentDown', 'CertificateExpired', 'RedirectFailed', 'MaintenanceScheduled']) {
    expect(types).toContain(type);
    expect(glyphOfEvent(type)).not.toBeNull();
  }
  for (const type of ['CheckFailed', 'UptimeWentUp', 'CertificateSeen', 'RedirectVerified']) {
    expect(types).toContain(type);
    expect(hasEvidence(type)).toBe(true);
  }
  expect(hasEvidence('ProjectRenamed')).toBe(false);
});
