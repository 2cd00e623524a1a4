import { expect, it } from '@jest/globals';
import { ANSWERED } from '../../../test/support/probe-outcomes.ts';
import { presetCheck } from '../../projects/checks/preset.ts';
import { NO_PHASES } from '../probe/outcome.ts';
import { storedAnswer } from '../rules/stored-answer.ts';
import { observationOf } from './run-observation.ts';

it('stores the cookies that a site sets without their values, as in evidence', () => {
  const headers = [
    ['Content-Type', 'text/html'],
    ['Set-Cookie', 'sid=fresh-session; Path=/; HttpOnly'],
    ['set-cookie', 'only-a-secret'],
  ] as const;
  const outcome = { ...ANSWERED, headers, url: 'https://site.example/', hops: [], certificate: null, address: null, phases: NO_PHASES };
  const check = { id: 'c', projectId: 'p', areaId: 'a', settings: presetCheck('', '/', 'simple', []), order: 0 };
  const facts = { check, failing: null, at: 0, milliseconds: 1, jobId: null, confirming: false, end: null, endExpected: false };
  const made = observationOf({ ...facts, outcome, answer: storedAnswer(outcome, 0), url: outcome.url, requested: '' });
  const httpHeader = [
    ...['HTTP/1.1 200 OK', 'Content-Type: text/html'],
    ...['Set-Cookie: sid=(hidden); Path=/; HttpOnly', 'set-cookie: =(hidden)'],
  ].join('\r\n');
  expect(made.whole).toMatchObject({ response: { httpHeader } });
  expect(JSON.stringify(made)).not.toMatch(/fresh-session|only-a-secret/);
});
