import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { RegistrationController } from './registration.controller.ts';

/** Registrations whose work takes so long. */
function registrations(): (workMs: number, opened: boolean) => Promise<number> {
  let work = { ms: 0, opened: true };
  const commands = {
    execute: async () => {
      const { ms, opened } = work;
      await sleep(ms);
      return { userId: 7, opened };
    },
  };
  const controller = new RegistrationController(
    // Casts: nothing else of them is used by a registration.
    commands as never,
    { registration: 'open', defaultPlan: 'basic' } as never,
    {} as never,
    {} as never,
    { offer: () => Promise.resolve() } as never,
    { verify: () => Promise.resolve(null) } as never,
    { count: () => Promise.resolve(0) } as never,
    {} as never,
    { refuseAddress: () => undefined } as never,
    { of: () => ({ waitUntilVisible: () => Promise.resolve() }) } as never,
  );
  return async (ms, opened) => {
    work = { ms, opened };
    const began = performance.now();
    await controller.register({ email: 'a@example.test', password: 'a long enough password', name: 'A' }, {
      ip: '192.0.2.1',
    } as FastifyRequest);
    return performance.now() - began;
  };
}

describe('a registration', () => {
  it('is answered after the same time for a taken and for a free address, also while the service is busy', async () => {
    const register = registrations();
    // In half seconds.
    const answered = async (workMs: number, opened: boolean): Promise<number> => Math.round((await register(workMs, opened)) / 500);
    expect([await answered(0, false), await answered(30, true)]).toEqual([1, 1]);
    expect([await answered(360, false), await answered(560, true)]).toEqual([2, 2]);
    // The load may end in between.
    expect(await answered(20, false)).toBe(2);
  });
});
