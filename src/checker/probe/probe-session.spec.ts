import { describe, expect, it } from '@jest/globals';
import { ProbeSession } from './probe-session.ts';

const home = new URL('https://a.test/');

describe('the cookies of a run', () => {
  it('are as they were set last, however often that is', () => {
    const session = new ProbeSession();
    for (let i = 0; i < 200; i++)
      session.storeCookies(home, [`sid=${String(i)}; Path=/`, `gone=${String(i)}; Path=/`, 'gone=; Max-Age=0; Path=/']);
    session.storeCookies(home, ['last=1']);
    expect(session.cookies(home)).toBe('sid=199; last=1');
  });

  it('are no more than a browser would keep, and those that came first stay', () => {
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
