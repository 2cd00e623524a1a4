import { describe, expect, it } from '@jest/globals';
import { ProbeSession } from './probe-session.ts';

const home = new URL('https://a.test/');

describe('the cookies of a run', () => {
  it('have the value that was set last, however often they are set', () => {
    const session = new ProbeSession();
    for (let i = 0; i < 200; i++)
      session.storeCookies(home, [`sid=${String(i)}; Path=/`, `removed=${String(i)}; Path=/`, 'removed=; Max-Age=0; Path=/']);
    session.storeCookies(home, ['last=1']);
    expect(session.cookies(home)).toBe('sid=199; last=1');
  });

  it('are limited in number and size, and the first ones stay', () => {
    const session = new ProbeSession();
    for (let i = 0; i < 100; i++) session.storeCookies(home, [`c${String(i)}=1`]);
    const names = (session.cookies(home) ?? '').split('; ');
    expect(names).toHaveLength(60);
    expect(names).toContain('c0=1');
    session.storeCookies(home, ['c1=; Max-Age=0', 'new=1', 'c0=2', `big=${'x'.repeat(5_000)}`]);
    const after = (session.cookies(home) ?? '').split('; ');
    expect(after).toHaveLength(60);
    expect(after.filter((cookie) => /^(?:c0|c1|new|big)=/.test(cookie))).toEqual(['c0=2', 'new=1']);
  });
});
