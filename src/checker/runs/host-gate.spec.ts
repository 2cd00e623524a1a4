import { expect, it } from '@jest/globals';
import { HostGate, type Passage } from './host-gate.ts';

it('passes one request at a time to a host, with a pause after each, and a continued sequence first', async () => {
  const seen: string[] = [];
  const gate = new HostGate((milliseconds) => Promise.resolve(seen.push(`pause of ${String(milliseconds)}`)));
  const pass = (what: string, delay: number, more: Partial<Passage> = {}): Promise<number> =>
    gate.pass({ projectId: 'project', url: 'https://site.test/a', delayMs: () => delay, ...more }, async () => {
      await Promise.resolve();
      return seen.push(what);
    });
  const first = pass('a page with a form', 5);
  const others = [pass('a run', 0), pass('another', 7, { url: 'https://site.test/b' })];
  const elsewhere = [pass('of another host', 0, { url: 'https://site.test:8443/' }), pass('of another project', 0, { projectId: 'b' })];
  const form = pass('its form', 6, { isContinued: true });
  await Promise.all([first, ...others, ...elsewhere, form]);
  expect(seen.filter((what) => !what.startsWith('of'))).toEqual([
    ...['a page with a form', 'pause of 5', 'its form', 'pause of 6', 'a run', 'another', 'pause of 7'],
  ]);
  expect(seen.indexOf('of another host')).toBeLessThan(seen.indexOf('its form'));
});

it('lets scheduled requests pass in turn with those of a job', async () => {
  const gate = new HostGate(() => Promise.resolve());
  const seen: string[] = [];
  const pass = (what: string, isOnDemand: boolean) =>
    gate.pass({ projectId: 'project', url: 'https://site.test/', delayMs: () => 0, isOnDemand }, async () => {
      await Promise.resolve();
      seen.push(what);
    });
  const job = Array.from({ length: 6 }, () => pass('job', true));
  const schedule = Array.from({ length: 2 }, () => pass('schedule', false));
  await Promise.all([...job, ...schedule]);
  expect(seen).toEqual(['job', 'schedule', 'job', 'schedule', 'job', 'job', 'job', 'job']);
});

it('passes the next request after a failed one', async () => {
  const gate = new HostGate(() => Promise.resolve());
  const passage = { projectId: 'project', url: 'https://site.test/', delayMs: () => 1 };
  const failed = gate.pass(passage, () => Promise.reject(new Error('no')));
  const next = gate.pass(passage, () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
