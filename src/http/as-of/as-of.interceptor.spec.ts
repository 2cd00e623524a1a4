import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import type { Config } from '../../config.ts';
import { stateOf } from '../context/request-state.ts';
import { type AsOf, currentAsOf } from './as-of.ts';
import { AsOfInterceptor } from './as-of.interceptor.ts';

const DAY = 86_400_000;

/** The answer and header of a request as of so many days ago. */
async function answerAsOf(daysAgo: number | null, { method = 'GET', url = '/api/project/:id' } = {}) {
  const headers: string[] = [];
  const request = { raw: {}, method, routeOptions: { url } } as Parameters<typeof stateOf>[0];
  stateOf(request).position = 57;
  const asOf = daysAgo === null ? null : ({ n: 41, at: Date.now() - daysAgo * DAY } as AsOf);
  if (asOf !== null) stateOf(request).asOf = asOf;
  const http = { getRequest: () => request, getResponse: () => ({ header: (...given: string[]) => headers.push(given.join(': ')) }) };
  const answer = new AsOfInterceptor({ retentionDays: 90 } as Config).intercept(
    { switchToHttp: () => http } as unknown as ExecutionContext,
    { handle: () => of(currentAsOf() ?? null) },
  );
  return { answer: (await firstValueFrom(answer)) === asOf, headers };
}

it('an answer as of an instant names its log position and whether the measurements of then have expired', async () => {
  expect(await answerAsOf(89.9)).toEqual({ answer: true, headers: ['watchledger-as-of: 41'] });
  expect(await answerAsOf(90.1)).toEqual({ answer: true, headers: ['watchledger-as-of: 41; observations=expired'] });
  expect(await answerAsOf(null)).toEqual({ answer: true, headers: ['watchledger-as-of: 57'] });
});

it('an answer of now names the position from before its first read, and a write none', async () => {
  expect((await answerAsOf(null, { method: 'HEAD' })).headers).toEqual(['watchledger-as-of: 57']);
  expect((await answerAsOf(null, { method: 'PUT' })).headers).toEqual([]);
  expect((await answerAsOf(null, { url: '/api/project/:id/start' })).headers).toEqual([]);
});
