import { expect, it } from '@jest/globals';
import { planWithForm } from '../../../test/support/form-plan.ts';
import { noResponse } from '../../platform/observations/runs/run-response.ts';
import { presentCheck } from './check.presenter.ts';

it('shows a disabled check as unknown, without its earlier failures', () => {
  const { check } = planWithForm('https://site.test/');
  const found = { running: false, lastRun: 7, lastChange: 7, response: noResponse, requestUrl: 'https://site.test/' };
  const shown = (enabled: boolean): object =>
    presentCheck({ ...check, settings: { ...check.settings, enabled } }, '', { ...found, status: 'error', failures: ['it was broken'] });
  expect(shown(true)).toMatchObject({ status: { status: 'error', failures: ['it was broken'] } });
  expect(shown(false)).toMatchObject({ status: { status: 'unknown', failures: [], lastRun: 7 } });
});
