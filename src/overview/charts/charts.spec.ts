import { describe, expect, it } from '@jest/globals';
import { JSDOM } from 'jsdom';
import type { Interval } from '../../platform/observations/samples/timeline.ts';
import type { ResponseTime } from '../../watches/response-times/response-times.reader.ts';
import { badgeSvg } from './badge.controller.ts';
import { PLOT } from './frame.ts';
import { themes } from './palette.ts';
import { percent, stepFor, timeTicks, valueTicks } from './ticks.ts';
import { chartResolution, responseTimesChart } from './response-times-chart.ts';
import { uptimeChart } from './uptime-chart.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 10, 1);
const span = { from: FROM, to: FROM + 30 * DAY, now: FROM + 30 * DAY, offsetMinutes: 0 };

/** Throws on invalid markup. */
const parsed = (svg: string): Document => new JSDOM(svg, { contentType: 'image/svg+xml' }).window.document;
const texts = (document: Document): string[] => [...document.querySelectorAll('text')].map(({ textContent }) => textContent);
const filled = (document: Document, fill: string): string => document.querySelector(`path[fill="${fill}"]`)?.getAttribute('d') ?? '';

const up = (from: number, to: number): Interval => ({ from, to, state: 'up' });

describe('the uptime chart', () => {
  const draw = (known: readonly Interval[], changes: object = {}) =>
    parsed(uptimeChart({ ...span, title: 'Uptime of Shop', theme: 'light', known, ...changes }));

  it('labels both axes and has a caption', () => {
    const document = draw([up(FROM, FROM + 15 * DAY), { from: FROM + 15 * DAY, to: FROM + 20 * DAY, state: 'down' }]);
    expect(texts(document)).toEqual(
      expect.arrayContaining(['Uptime of Shop', 'Share of time', '0 %', '100 %', 'UTC', 'Up', 'Timeout', 'Down', 'Unknown']),
    );
    expect(texts(document)).toContain('75.00 % up, 25.00 % down, 0 % timeout of the time that is known');
    expect(texts(document).filter((text) => /^\d+ Nov$/.test(text)).length).toBeGreaterThan(2);
    expect(document.querySelector('title')?.textContent).toBe('Uptime of Shop');
    expect(document.querySelector('desc')?.textContent).toContain('From 1 Nov 2026 00:00 to 1 Dec 2026 00:00, UTC');
  });

  it('shows a failure of a second in a month', () => {
    const failure: Interval = { from: FROM + 3 * DAY, to: FROM + 3 * DAY + 1000, state: 'down' };
    const boxes = filled(draw([up(FROM, FROM + 3 * DAY), failure, up(failure.to, FROM + 30 * DAY)]), '#b3202c');
    expect(boxes.match(/M/g)).toHaveLength(1);
    expect(Number(/v([\d.]+)/.exec(boxes)?.[1])).toBeGreaterThanOrEqual(2);
  });

  it('hatches unmeasured time behind the measured', () => {
    const document = draw([up(FROM, FROM + DAY)]);
    expect(document.querySelector('pattern#hatch')).not.toBeNull();
    const [first] = [...document.querySelectorAll('path[d*="M64 74h"]')];
    expect(first?.getAttribute('fill')).toBe('url(#hatch)');
    expect(texts(draw([]))).toContain('No measurements in this time');
  });

  it('stays within its frame and small for any span', () => {
    for (const length of [1, 60_000, 3_600_000, DAY, 400 * DAY, 3_652_059 * DAY]) {
      const svg = uptimeChart({ ...span, title: 'x', theme: 'dark', to: FROM + length, known: [up(FROM, FROM + length)] });
      expect(svg.length).toBeLessThan(20_000);
      const right = [...svg.matchAll(/M([\d.]+) [\d.]+h([\d.]+)v/g)].map(([, x, width]) => Number(x) + Number(width));
      expect(Math.max(...right)).toBeLessThanOrEqual(PLOT.right + 0.2);
    }
  });

  it('escapes the title', () => {
    const document = draw([], { title: '</text><script>alert(1)</script> & "friends" \u0001' });
    expect(document.querySelector('script')).toBeNull();
    expect(texts(document)[0]).toBe('</text><script>alert(1)</script> & "friends" ');
  });

  it.each(themes)('has the theme %s', (theme) => {
    expect(draw([], { theme }).querySelector('rect[width="840"]')?.getAttribute('fill')).toBe(theme === 'light' ? '#ffffff' : '#0d1117');
  });
});

describe('the response time chart', () => {
  const time = (index: number, total: number): ResponseTime => ({
    at: FROM + index * 1_000_000,
    count: 60,
    means: [1, 2, 3, 0, total - 10, 4, total],
    percentiles: { p50: total, p95: total * 1.4, p99: total * 2 },
  });
  const draw = (times: readonly ResponseTime[]) =>
    parsed(
      responseTimesChart({
        title: 'Response times of Shop',
        theme: 'light',
        from: FROM,
        to: FROM + DAY,
        offsetMinutes: -30,
        resolutionMs: 1_000_000,
        times,
      }),
    );

  it('names its unit, its phases and the mean', () => {
    expect(texts(draw([time(0, 100), time(1, 200)]))).toEqual(
      expect.arrayContaining([
        'Milliseconds',
        '150 ms on average over 120 answers',
        'DNS',
        'TLS',
        'Waiting',
        'p95',
        'No answer',
        'UTC−00:30',
      ]),
    );
  });

  it('breaks its line and hatches time without answers', () => {
    const document = draw([time(0, 100), time(1, 100), time(40, 100), time(41, 100)]);
    expect(document.querySelector('path[stroke-width="1.5"]')?.getAttribute('d')?.match(/M/g)).toHaveLength(2);
    expect(filled(document, 'url(#hatch)').match(/M/g)).toHaveLength(2);
  });

  it('scales to the slowest answer, and to none', () => {
    const lowest = [
      ...(
        draw([time(0, 100), time(1, 59_900)])
          .querySelector('path[stroke-width="1.5"]')
          ?.getAttribute('d') ?? ''
      ).matchAll(/ ([\d.]+)/g),
    ].map(([, y]) => Number(y));
    expect(Math.min(...lowest)).toBeGreaterThanOrEqual(PLOT.top);
    expect(texts(draw([]))).toContain('No answer in this time');
  });

  it('uses the finest stored resolution that the chart can show', () => {
    expect([3_600_000, 7 * DAY, 365 * DAY].map((length) => chartResolution(length) / 1_000_000)).toEqual([1, 4, 166]);
  });
});

describe('the badge', () => {
  const says = (facts: Parameters<typeof badgeSvg>[0]) => texts(parsed(badgeSvg(facts)))[1];

  it('shows the uptime and a failing state', () => {
    expect(says({ state: 'up', up: 99.953, theme: 'light' })).toBe('99.95 %');
    expect(says({ state: 'down', up: 98, theme: 'dark' })).toBe('down, 98.00 %');
    expect(says({ state: 'unknown', up: null, theme: 'light' })).toBe('unknown');
  });

  it('is green, yellow or red by its percentage, red while the site fails, and grey while the state is unknown', () => {
    const [good, fair, bad, unknown] = ['#1a7f37', '#7d6608', '#b3202c', '#59636e'];
    const colour = (state: 'up' | 'down' | 'unknown', up: number | null) =>
      [...badgeSvg({ state, up, theme: 'light' }).matchAll(/<rect [^>]*fill="(#\w+)"/g)].at(-1)?.[1];
    expect([100, 99.5, 99.49, 97, 96.99, 0].map((up) => colour('up', up))).toEqual([good, good, fair, fair, bad, bad]);
    expect([colour('down', 100), colour('unknown', null)]).toEqual([bad, unknown]);
  });
});

describe('numbers on charts', () => {
  it('never round to 0 % or 100 % wrongly', () => {
    expect([100, 99.9999, 99.95, 0.001, 0].map(percent)).toEqual(['100 %', '> 99.99 %', '99.95 %', '< 0.01 %', '0 %']);
  });

  it('are round', () => {
    expect(valueTicks(137, 5)).toEqual([0, 50, 100, 150]);
    expect(valueTicks(0.3, 5)).toHaveLength(4);
    expect(valueTicks(0, 5)).toEqual([0, 1]);
    expect(stepFor(30 * DAY, 100)).toBe(12 * 3_600_000);
  });

  it('label midnights in the offset of the request', () => {
    expect(timeTicks(FROM, FROM + 2 * DAY, 330, 10).map(({ label }) => label)).toContain('2 Nov');
    expect(timeTicks(FROM, FROM + 2 * DAY, 330, 10).every(({ at }) => (at + 330 * 60_000) % 3_600_000 === 0)).toBe(true);
  });
});
