import { expect, it } from '@jest/globals';
import { catalogue } from '../../events.ts';
import { markKinds } from '../../overview/marks-reading.ts';
import { glyphOfEvent, hasEvidence, typesOf } from './event-kinds.ts';

const types = Object.keys(catalogue);

it('asks for events of the catalogue, of one kind each, and for no more types than the service takes', () => {
  const { main, failures, changes, alerts } = typesOf;
  const kinds = [...(failures ?? []), ...(changes ?? []), ...(alerts ?? [])];
  for (const type of [...kinds, ...(main ?? [])]) expect(types).toContain(type);
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(main?.length).toBeLessThanOrEqual(100);
  for (const routine of ['UptimeDayClosed', 'ResponseTimesDayClosed', 'RunStarted', 'ProbeStarted']) expect(main).not.toContain(routine);
});

it('shows every event that the bar of time marks in a filtered history', () => {
  const shown = [typesOf.failures, typesOf.changes].flatMap((some) => some ?? []);
  expect([...markKinds.keys()].filter((type) => !shown.includes(type))).toEqual([]);
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
