import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { leaveChromium } from '../../support/chromium.ts';
import { ConsolePage } from '../../support/console-page.ts';
import { Demo, DEMO_OWNER } from '../../support/demo.ts';
import { isRelease, thorough } from '../../support/thorough.ts';

// Every page over history that is there, now and in the past; what people do on them has files of its own.

const DAY = 86_400_000;
/** Two days ago every site was there. */
const PAST = new Date(Date.now() - 2 * DAY).toISOString();

let demo: Demo;
let page: ConsolePage;
/** By the names in the table. */
const ids = new Map<string, string>();

beforeAll(async () => {
  demo = await Demo.open(thorough(12, 6));
  await demo.start();
  const api = await new ApiClient(demo.address).signIn(DEMO_OWNER, demo.password);
  const read = async <Body>(path: string): Promise<Body> => (await api.get(path)).body as Body;
  const { projects } = await read<{ readonly projects: readonly { readonly id: string }[] }>('/projects?search=Alpine');
  const site = projects[0]?.id ?? '';
  const [[test], [group], [statusPage]] = [
    await read<readonly { readonly id: string }[]>(`/project/${site}/tests?limit=1`),
    await read<readonly { readonly id: string }[]>(`/project/${site}/areas`),
    await read<readonly { readonly id: string }[]>('/status-pages'),
  ];
  const { events } = await read<{ readonly events: readonly { readonly id: string }[] }>(
    `/project/${site}/history?type=CheckFailed&limit=1`,
  );
  for (const [name, id] of Object.entries({ site, check: test?.id, group: group?.id, statusPage: statusPage?.id, event: events[0]?.id }))
    ids.set(name, id ?? 'missing');
  page = await ConsolePage.open(demo.address);
  await page.signIn(DEMO_OWNER, demo.password);
});
afterAll(async () => {
  expect(page.errors).toEqual([]);
  await page.close();
  await leaveChromium();
  await demo.remove();
});

const pathOf = (path: string): string => path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? '');
const atInstant = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}at=${PAST}`;

const GALLERY = '/console/gallery';
/** Path, and what it says when it is there. */
const PAGES: readonly (readonly [name: string, path: string, now: string])[] = [
  ['the sites', '/console', 'Alpine Shop'],
  ['the sites that need attention, by state', '/console?sort=state&show=attention', 'Blog'],
  ['a site', '/console/projects/{site}', 'What happened last'],
  ['its history', '/console/projects/{site}/timeline', 'What happened in Alpine Shop'],
  ['two instants of it', `/console/projects/{site}/compare?with=${new Date(Date.now() - DAY).toISOString()}`, ', and now.'],
  ['an event with evidence', '/console/projects/{site}/events/{event}', 'As received'],
  ['a check', '/console/projects/{site}/checks/{check}', 'Rules'],
  ['a new check', '/console/projects/{site}/checks/new', 'A new check'],
  ['a group', '/console/projects/{site}/groups/{group}', 'Its checks'],
  ['the status pages', '/console/status-pages', 'Status pages'],
  ['a status page', '/console/status-pages/{statusPage}', 'Incidents'],
  ['the proof', '/console/proof', 'events are sealed.'],
  ['the teams', '/console/teams', 'are up to date.'],
  ['the administration', '/console/administration', 'Sessions and tokens'],
  ['every state', GALLERY, 'Every state of the console'],
];

describe.each(PAGES)('the page of %s', (_, path, words) => {
  it('can be read on a phone, on a wide screen, in the dark, without motion, and used by keyboard', async () => {
    await page.go(pathOf(path));
    await page.sees(words);
    // The gallery has every element: in the dark and on a phone they are judged there.
    expect(await page.problemsOfForms({ judgesEach: isRelease || path === GALLERY })).toEqual([]);
    expect(await page.problemsOfKeyboard()).toEqual([]);
  });

  it('shows the past read only', async () => {
    await page.go(atInstant(pathOf(path)));
    await page.sees('As it was on');
    await page.rests();
    if (isRelease) expect(await page.problemsOfForms()).toEqual([]);
    expect(await page.changingControls()).toEqual([]);
  });
});

it('draws a wall without anything to press', async () => {
  await page.go('/console?view=wall');
  await page.present('.wall-failing li');
  expect(await page.problemsOfForms()).toEqual([]);
  await page.go('/console');
});

it('draws the wall as it is now, whatever instant its address names', async () => {
  await page.go('/console?view=wall&at=2020-01-01T00:00:00Z');
  await page.present('.wall-others li');
  await page.go('/console');
});

it('says that a site does not exist or may not be seen, under a heading', async () => {
  await page.go(`/console/projects/${'0'.repeat(24)}`);
  await page.present('main h1');
  await page.sees('The site was not found.');
  expect(await page.problemsOfForms()).toEqual([]);
});

/** Several test files share the machine: the figures of an idle one are those of `npm run bench console`. */
const BUSY = 10;

it.each([
  ['the sites', '/console', '.rows .line .strip', { requests: 12, kilobytes: 40, shift: 0.01 }],
  ['a site', '/console/projects/{site}', '.rows-list.events li', { requests: 36, kilobytes: 80, shift: 0.1 }],
])('loads the page of %s within its budget', async (_, path, isThere, most) => {
  await page.go(pathOf(path));
  await page.present(isThere);
  await page.rests();
  const { requests, bytes, firstPaint, longestTask, shift } = await page.loading();
  expect(requests).toBeLessThanOrEqual(most.requests);
  expect(bytes).toBeLessThan(most.kilobytes * 1_000);
  expect(shift).toBeLessThan(most.shift);
  expect(firstPaint).toBeLessThan(500 * BUSY);
  expect(longestTask).toBeLessThan(50 * BUSY);
});

it('moves nothing when the list of sites comes late', async () => {
  await page.delay('/api/projects', 500);
  await page.go('/console');
  await page.present('.rows .line .strip');
  // The number of sites in the heading takes its place.
  expect((await page.loading()).shift).toBeLessThan(0.005);
});

it('says that it waits while the service does not answer who is signed in', async () => {
  const waiting = await ConsolePage.open(demo.address);
  const release = await waiting.hold('/api/session');
  await waiting.go('/console');
  await waiting.sees('Waiting for the service.');
  expect(await waiting.problemsOfForms()).toEqual([]);
  await release();
  await waiting.present('.header');
  await waiting.close();
});

describe('a site with a year behind it', () => {
  it('is looked at closely: from a day to an hour, to single responses and their phases', async () => {
    await page.go(pathOf('/console/projects/{site}'));
    await page.present('.strip.large g');
    await page.evaluate("document.querySelectorAll('.strip.large g')[85].dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    await page.sees('00:00 to');
    await page.choose('1 h');
    await page.sees('single response');
    await page.evaluate("document.querySelector('.samples summary').click()");
    await page.present('.samples svg.phases');
    expect(await page.evaluate("document.querySelector('.samples svg.phases').getAttribute('aria-label')")).toMatch(
      /^name \d+, connect \d+/,
    );
    expect(await page.problemsOfForms()).toEqual([]);
  });

  it('says over the chart what the chart shows, also while another span is being read', async () => {
    await page.go(pathOf('/console/projects/{site}'));
    await page.present('.chart canvas');
    const heading = "document.querySelector('#response-times .chart-legend').textContent";
    const before = String(await page.evaluate(heading));
    await page.evaluate(`{
      const real = globalThis.fetch;
      const released = new Promise((done) => (globalThis.release = done));
      globalThis.fetch = async (...asked) => {
        if (String(asked[0]).includes('/responseTimes')) await released;
        return real(...asked);
      };
    }`);
    await page.choose('90 days');
    await page.present('.stale .chart');
    expect(await page.evaluate(heading)).toBe(before);
    await page.evaluate('globalThis.release()');
    await page.holds(`${heading}.startsWith('last 90 days')`, 'the heading of the new span');
    await page.absent('.stale');
  });

  it('has its chart where the browser gives its language another name', async () => {
    const other = await ConsolePage.open(demo.address, pathOf('/console/projects/{site}'), { language: 'en-US@posix' });
    await other.present('.chart canvas');
    expect(other.errors).toEqual([]);
    await other.close();
  });

  it('is found by its name, and its checks and events by what they say, from the keyboard alone', async () => {
    await page.go(pathOf('/console/projects/{site}'));
    await page.sees('What happened last');
    await page.press('/');
    await page.type('.search-dialog input', 'shoes');
    await page.present('.found-places li[aria-selected="true"]');
    expect(await page.problemsOfForms()).toEqual([]);
    await page.press('ArrowDown');
    await page.press('Enter');
    await page.sees('From cause to effect');
  });

  it('keeps the focus where a person is: over pages, forms, menus, and buttons that go', async () => {
    const focused = 'document.activeElement';
    const isOn = (selector: string): Promise<void> =>
      page.holds(`${focused}.matches(${JSON.stringify(selector)})`, `the focus on ${selector}`);
    const focusOn = async (text: string): Promise<void> => {
      const button = `[...document.querySelectorAll('button, a')].find((element) => element.textContent.trim().startsWith(${JSON.stringify(text)}))`;
      await page.holds(`${button} !== undefined`, text);
      await page.evaluate(`${button}.focus()`);
    };
    await page.go('/console');
    await focusOn('Alpine Shop');
    await page.press('Enter');
    await page.sees('What happened last');
    await isOn('.place');
    // It comes with the settings of the site, for which the heading does not wait.
    await page.holds("document.title === 'Alpine Shop – Watchledger'", 'the title of the site');
    await focusOn('Change the settings');
    await page.press('Enter');
    await isOn('form.opened input');
    await focusOn('Cancel');
    await page.press('Enter');
    await page.holds(`${focused}.textContent.startsWith('Change the settings')`, 'the focus on the button that opens the form');
    await page.evaluate("document.querySelector('.track').focus()");
    await page.press('ArrowLeft');
    await focusOn('Return to now');
    await page.press('Enter');
    await isOn('.track');
    await page.press('ArrowLeft');
    await focusOn('event →');
    await page.press('Enter');
    await page.absent('.past-banner');
    await isOn('section[aria-label="Time"]');
    await focusOn('Account menu of');
    await page.press('Enter');
    await page.press('Tab');
    await isOn('.menu a');
    await page.press('Escape');
    await isOn('.account > button');
  });

  it('is shown at any instant by dragging over the bar of time, which shows a shorter time by two fingers and a longer one by a key', async () => {
    await page.go(pathOf('/console/projects/{site}'));
    await page.sees('What happened last');
    const daysShown = async (): Promise<number> => {
      const [from, to] = (await page.evaluate(
        "['min', 'max'].map((end) => Number(document.querySelector('.track').getAttribute('aria-value' + end)))",
      )) as readonly [number, number];
      return Math.round((to - from) / DAY);
    };
    expect(await daysShown()).toBe(90);
    await page.pinch('.track');
    const close = await daysShown();
    expect(close).toBeLessThan(60);
    await page.press('-');
    await page.holds("document.querySelector('.track') !== null", 'the bar');
    expect(await daysShown()).toBeGreaterThan(close);
    await page.dragOver('.track', 0.9, 0.98);
    await page.sees('As it was on');
    expect(await page.path()).toMatch(/at=20/);
    await page.press('t');
    await page.absent('.past-banner');
  });

  it('goes from event to event by the buttons of the banner', async () => {
    await page.go(atInstant(pathOf('/console/projects/{site}')));
    await page.present('.marks .mark');
    // From the last one, `]` would lead to now.
    for (let steps = 0; steps < 2; steps++) {
      const before = await page.path();
      await page.choose('← event');
      await page.holds(`location.pathname + location.search !== ${JSON.stringify(before)}`, 'an earlier instant');
    }
    const between = await page.path();
    // As a keyboard reports it on which the bracket needs AltGr.
    await page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: ']', ctrlKey: true, altKey: true }))");
    await page.holds(`location.pathname + location.search !== ${JSON.stringify(between)}`, 'a later instant');
    await page.choose('Return to now');
    await page.absent('.past-banner');
  });

  it('closes the arrow to earlier events at the first one of the bar, and leads from the last one to now', async () => {
    const [open, closed] = ['.past-steps button[aria-disabled="false"]', '.past-steps button[aria-disabled="true"]'];
    await page.go(atInstant(pathOf('/console/projects/{site}')));
    await page.present(open);
    await page.evaluate("document.querySelector('.track').focus()");
    await page.press('Home');
    await page.present(closed);
    const first = await page.path();
    await page.choose('← event');
    await page.press('ArrowLeft');
    expect(await page.path()).toBe(first);
    await page.choose('event →');
    await page.present(open);
    await page.evaluate("document.querySelector('.track').focus()");
    await page.press('ArrowLeft');
    await page.present(closed);
    expect(await page.path()).toBe(first);
    await page.press('End');
    await page.press('ArrowRight');
    await page.absent('.past-banner');
    await page.press('ArrowLeft');
    await page.present(open);
    await page.choose('event →');
    await page.absent('.past-banner');
  });

  it('closes the arrow of the chart to later times at the instant that is shown', async () => {
    await page.go(pathOf('/console/projects/{site}'));
    const isClosed = `document.querySelector('button[aria-label="Later"]')?.ariaDisabled === 'true'`;
    await page.holds(isClosed, 'a closed arrow');
    await page.choose('›');
    await page.sees('last 6 h');
    await page.choose('‹');
    await page.holds(`!(${isClosed})`, 'an open arrow');
    await page.seesNo('last 6 h');
    await page.choose('›');
    await page.holds(isClosed, 'a closed arrow');
  });

  it('draws the chart anew when the browser changes between light and dark', async () => {
    // What is past is not drawn again for another reason.
    await page.go(atInstant(pathOf('/console/projects/{site}')));
    await page.present('.u-wrap canvas');
    await page.rests();
    const grid = (hair: string): string => `(() => {
      const canvas = document.querySelector('.u-wrap canvas');
      if (canvas === null) return false;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const [red, green, blue] = ['${hair}'.slice(0, 2), '${hair}'.slice(2, 4), '${hair}'.slice(4)].map((part) => parseInt(part, 16));
      for (let at = 0; at < data.length; at += 4) if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) return true;
      return false;
    })()`;
    await page.showIn('light');
    await page.holds(grid('efece5'), 'a grid in the light');
    await page.showIn('dark');
    await page.holds(grid('262520'), 'a grid in the dark');
    await page.showIn('light');
  });
});
