import { describe, expect, it } from '@jest/globals';
import type { LogEvent } from '../../kernel/event.ts';
import { presentEvent } from './event.presenter.ts';
import { summaryOf } from './summary.ts';

const names = { check: (id: string) => `check ${id}`, area: (id: string) => `area ${id}`, user: (id: number) => `user ${String(id)}` };

const event = (type: string, data: object): LogEvent => ({
  n: 7,
  id: '11111111-1111-4111-8111-111111111111',
  stream: 'project-1',
  revision: 3,
  type,
  version: 2,
  scope: 'project-1',
  recordedAt: '2026-03-01T12:00:00.000001Z',
  data,
  meta: {
    actor: { kind: 'user', id: '5' },
    correlationId: '11111111-1111-4111-8111-111111111111',
    causationId: null,
    commandId: 'c',
    occurredAt: '2026-03-01T12:00:00.000Z',
  },
});

describe('An event in the history', () => {
  it('of a type that nobody knows any more is shown as it is, never dropped', () => {
    const old = event('CheckPainted', { checkId: '1', colour: 'green', nested: [{ deep: true }] });
    const shown = presentEvent(old, null, summaryOf(old, names));
    expect(shown).toMatchObject({ type: 'CheckPainted', version: 2, position: '7', summary: 'CheckPainted (of an older version)' });
    expect(shown.data).toEqual({ checkId: '1', colour: 'green', nested: [{ deep: true }] });
  });

  it.each(['constructor', '__proto__', 'toString'])('named %s is no sentence of ours', (type) => {
    expect(summaryOf(event(type, {}), names)).toBe(`${type} (of an older version)`);
  });

  it('hides what was sealed, also where nobody knows the type', () => {
    const old = event('KeyGiven', {
      key: { subject: 'account-1', sealed: 'ciphertext' },
      list: [{ subject: 'account-1', sealed: 'more' }],
    });
    const { data } = presentEvent(old, null, summaryOf(old, names));
    expect(data).toEqual({ key: '(hidden)', list: ['(hidden)'] });
  });
});
