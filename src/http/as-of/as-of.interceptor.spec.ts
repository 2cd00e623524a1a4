import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import type { Config } from '../../config.ts';
import { stateOf } from '../context/request-state.ts';
import { type AsOf, currentAsOf } from './as-of.ts';
import { AsOfInterceptor } from './as-of.interceptor.ts';

const DAY = 86_400_000;

/** What a request is answered that asks about so many days ago, and with which header. */
async function answered(daysAgo: number | null) {
  const headers: string[] = [];
  const request = { raw: {} } as Parameters<typeof stateOf>[0];
  const asOf = daysAgo === null ? null : ({ n: 41, at: Date.now() - daysAgo * DAY } as AsOf);
  if (asOf !== null) stateOf(request).asOf = asOf;
  const http = { getRequest: () => request, getResponse: () => ({ header: (...given: string[]) => headers.push(given.join(': ')) }) };
  const answer = new AsOfInterceptor({ retentionDays: 90 } as Config).intercept(
    { switchToHttp: () => http } as unknown as ExecutionContext,
    { handle: () => of(currentAsOf() ?? null) },
  );
  return { answer: (await firstValueFrom(answer)) === asOf, headers };
}

it('an answer as of an instant says on which position it stands, and whether measurements of then have expired', async () => {
  expect(await answered(89.9)).toEqual({ answer: true, headers: ['watchledger-as-of: 41'] });
  expect(await answered(90.1)).toEqual({ answer: true, headers: ['watchledger-as-of: 41; observations=expired'] });
  expect(await answered(null)).toEqual({ answer: true, headers: [] });
});
