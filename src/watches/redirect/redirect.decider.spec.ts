import { describe, expect, it } from '@jest/globals';
import { httpVersionOf, redirectStatus } from './redirect-status.ts';
import { recordRedirect, redirect, type RedirectAnswer } from './redirect.decider.ts';

const SITE = 'https://site.example/shop';
const ended = (finalUrl: string): RedirectAnswer => ({ kind: 'answered', finalUrl });

describe('the http version', () => {
  it.each([
    ['https://site.example/shop?a=1', 'http://site.example/shop?a=1'],
    ['https://site.example', 'http://site.example/'],
    ['https://site.example:443/', 'http://site.example/'],
    ['https://site.example:8443/', null],
    ['http://site.example/', null],
  ])('of %s is %s', (url, version) => {
    expect(httpVersionOf(url)).toBe(version);
  });
});

describe('a redirect', () => {
  it.each([
    ['https://site.example/shop', 'ok'],
    ['https://www.site.example/', 'ok'],
    ['https://site.example/404', 'ok'],
    ['http://site.example/shop', 'failed'],
    ['https://other.example/shop', 'failed'],
    ['https://site.example.evil.example/', 'failed'],
    ['https://www2.site.example/', 'failed'],
  ])('that ends on %s is %s', (finalUrl, status) => {
    expect(redirectStatus(SITE, finalUrl)).toBe(status);
  });

  it('that does not answer is unreachable', () => {
    expect(redirectStatus(SITE, null)).toBe('unreachable');
  });

  it('of www to the bare name counts too', () => {
    expect(redirectStatus('https://www.site.example/', 'https://site.example/')).toBe('ok');
  });

  it('is recorded once a change', () => {
    const origin = { projectId: 'p', projectUrl: SITE, location: 'eu', at: Date.UTC(2026, 0, 1) };
    let state = redirect.initial;
    const recorded = [
      ended('https://site.example/shop?sid=1'),
      ended('https://site.example/shop?sid=2'),
      ended('http://site.example/shop'),
      ended('http://site.example/shop'),
      { kind: 'silent', reason: 'refused' } as const,
      ended('https://site.example/shop'),
    ].map((answer) => {
      const events = recordRedirect(state, answer, origin);
      state = events.reduce(redirect.evolve, state);
      return events.map(({ type }) => type).join(' ');
    });
    expect(recorded).toEqual([
      'ProbeStarted RedirectVerified',
      '',
      'ProbeStarted RedirectFailed',
      '',
      'ProbeStarted RedirectUnreachable',
      'ProbeStarted RedirectVerified',
    ]);
    expect(recordRedirect(state, ended('https://moved.example/'), { ...origin, projectUrl: 'https://moved.example/' })[1]).toMatchObject({
      data: { before: null },
    });
  });
});
