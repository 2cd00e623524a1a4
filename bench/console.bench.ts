import { mkdtempSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaveChromium, openPage } from '../test/support/chromium.ts';
import { endChromium } from '../test/support/chromium-packages.ts';
import { ConsoleClient } from '../test/support/console-client.ts';
import { buildFlatDatabase } from './flat/flat-database.ts';
import { flatProjectId } from './flat/flat-events.ts';
import { ADMIN, withService } from './support/bench-service.ts';
import { type Bench, type Figure, figure, median } from './support/bench.ts';
import { processSeconds, untilIdle } from './support/processor.ts';
import { residentMegabytes } from './support/program.ts';
import { closedDaysOf, measureSites } from './support/watched-sites.ts';

const SITES = Number(process.env['CONSOLE_SITES'] ?? 10_000);
/** As many as one account may have sessions for, at four tabs each; the goals are those of 500. */
const CONSOLES = Number(process.env['CONSOLE_OPEN'] ?? 380);
/** Tabs of one browser that may wait for the feed at once. */
const TABS = 4;
/** Lines of a screen, and the screens that are measured: their sites have 90 days of history. */
const [LINES, SCREENS] = [40, 10] as const;
const WARM_ROUNDS = 3;
const IDLE_SECONDS = 60;

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** The console over many sites, in a real Chromium, and what open consoles cost the service while nothing happens. */
const bench: Bench = async (tools) => {
  const url = await tools.database();
  const now = Date.now();
  const shown = [...new Set(Array.from({ length: SCREENS }, (_, screen) => idsOfScreen(screen)).flat())];
  const flat = await buildFlatDatabase(url, SITES, closedDaysOf(shown, now));
  const all = Array.from({ length: SITES }, (_, index) => flatProjectId(index));
  await measureSites(flat.pool, shown, all, now);
  await flat.close();
  const settings = {
    ...{ ROLES: 'api,projector', MAX_CONNECTIONS_PER_ADDRESS: '10000', MAX_CONNECTIONS: '10000' },
    ...{ REAUTHENTICATE_MINUTES: '60' },
  };
  return withService(
    { ...tools, database: () => Promise.resolve(url) },
    async ({ address, pid }) => {
      const client = await ConsoleClient.at(address).signIn(ADMIN.email, ADMIN.password);
      await untilIdle(pid);
      // Warm-up: the first screens include JIT compilation.
      const first = await screenTimes(client);
      for (let round = 0; round < WARM_ROUNDS; round++) await screenTimes(client);
      const screens = await screenTimes(client);
      tools.say(`${String(SITES)} sites, a screen in ${median(screens).toFixed(1)} ms, ${median(first).toFixed(1)} ms after a start`);
      return [
        figure('the first ten screens after a start, median', median(first), 'ms'),
        figure(`figures of a screen among ${SITES.toLocaleString('en')} sites, median`, median(screens), 'ms', { goal: { atMost: 50 } }),
        ...(await inBrowser(address)),
        ...(await openConsoles(address, pid, tools.say)),
      ];
    },
    settings,
  );
};

export default bench;

const idsOfScreen = (screen: number): readonly string[] =>
  Array.from({ length: LINES }, (_, line) => flatProjectId((screen * 331 + line) % SITES));

async function screenTimes(client: ConsoleClient): Promise<readonly number[]> {
  const times: number[] = [];
  for (let screen = 0; screen < SCREENS; screen++) {
    const ids = idsOfScreen(screen);
    const began = performance.now();
    const { status } = await client.get(`/projects/figures?ids=${ids.join(',')}`);
    times.push(performance.now() - began);
    if (status !== 200) throw new Error(`a screen was answered ${String(status)}`);
  }
  return times;
}

/** Observed from the first script of the page on. */
const OBSERVE = `
  globalThis.seen = { tasks: [], shifts: 0 };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shifts += entry.value; }).observe({ type: 'layout-shift', buffered: true });
`;
/** A screen after the other, as fast as frames are drawn. */
const SCROLL = `new Promise((done) => {
  const frames = []; let last = performance.now(); let at = 0;
  const end = document.documentElement.scrollHeight - innerHeight;
  const step = (now) => {
    frames.push(now - last); last = now; at += 300; scrollTo(0, at);
    if (at < Math.min(end, 60_000)) requestAnimationFrame(step);
    else done(frames.slice(1).sort((one, other) => one - other)[Math.floor(frames.length * 0.95)]);
  };
  requestAnimationFrame(step);
})`;

async function inBrowser(address: string): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-chromium-'));
  process.env['TEST_CHROMIUM'] = folder;
  try {
    const page = await openPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${address}/console`);
    await page.waitForFunction("document.querySelector('input[name=email]') !== null");
    await page.type('input[name=email]', ADMIN.email);
    await page.type('input[name=password]', ADMIN.password);
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.querySelector('.rows .line .strip') !== null", { timeout: 60_000 });
    // The second load is that of every day: files are in the cache of the browser.
    await page.goto(`${address}/console`);
    await page.waitForFunction("document.querySelector('.rows .line') !== null", { timeout: 60_000 });
    const interactive = Number(await page.evaluate('performance.now()'));
    await page.evaluate(OBSERVE);
    await page.waitForFunction("document.querySelector('.rows .line .strip') !== null", { timeout: 60_000 });
    await pause(3_000);
    const loaded = (await page.evaluate('({ longest: Math.max(0, ...seen.tasks), shifts: seen.shifts })')) as {
      longest: number;
      shifts: number;
    };
    await page.evaluate('seen.tasks.length = 0');
    const frame = Number(await page.evaluate(SCROLL));
    await pause(1_000);
    const scrolled = Number(await page.evaluate('Math.max(0, ...seen.tasks)'));
    await page.close();
    return [
      figure('interactive', interactive, 'ms', { goal: { atMost: 500 } }),
      figure('longest task while the overview loads', loaded.longest, 'ms', { goal: { atMost: 50 } }),
      figure('layout shift', loaded.shifts, 'of the screen', { goal: { atMost: 0.01 } }),
      figure('a frame while scrolling, 95th percentile', frame, 'ms', { goal: { atMost: 34 } }),
      figure('longest task while scrolling', scrolled, 'ms', { goal: { atMost: 50 } }),
    ];
  } finally {
    await leaveChromium();
    endChromium(folder);
  }
}

/** Each open console waits for the next event by a request that is repeated every 30 s. */
async function openConsoles(address: string, pid: number, say: (line: string) => void): Promise<readonly Figure[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const cookies: string[] = [];
  while (cookies.length < CONSOLES / TABS) cookies.push((await ConsoleClient.at(address).signIn(ADMIN.email, ADMIN.password)).cookie ?? '');
  await pause(5_000);
  const before = await residentMegabytes(pid);
  const [consoles, waiting]: [Promise<void>[], Set<ClientRequest>] = [[], new Set()];
  const state = { isOver: false, refused: null as Error | null };
  const wait = (cookie: string, after: string): Promise<string> =>
    new Promise((answered, failed) => {
      const query = `after=${after}&type=CheckFailed&type=CheckRecovered&wait=30`;
      const asked = request(`${address}/api/events?${query}`, { agent, headers: { cookie } }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          waiting.delete(asked);
          if (response.statusCode === 200) answered((JSON.parse(body) as { position: string }).position);
          else failed(new Error(`a console was answered ${String(response.statusCode)}: ${body.slice(0, 200)}`));
        });
      });
      waiting.add(asked);
      asked.on('error', failed);
      asked.end();
    });
  const follow = async (cookie: string): Promise<void> => {
    try {
      for (let after = 'now'; !state.isOver;) after = await wait(cookie, after);
    } catch (error) {
      if (!state.isOver) state.refused ??= error instanceof Error ? error : new Error(String(error));
    }
  };
  for (let opened = 0; opened < CONSOLES; opened++) {
    consoles.push(follow(cookies[Math.floor(opened / TABS)] ?? ''));
    if (opened % 50 === 49) await pause(200);
  }
  // Spread over the time of a wait, as people open them.
  await pause(35_000);
  const begun = processSeconds(pid);
  await pause(IDLE_SECONDS * 1_000);
  const share = ((processSeconds(pid) - begun) / IDLE_SECONDS) * 100;
  const after = await residentMegabytes(pid);
  const open = waiting.size;
  state.isOver = true;
  for (const asked of waiting) asked.destroy();
  await Promise.all(consoles);
  agent.destroy();
  if (state.refused !== null) throw state.refused;
  say(`${String(open)} consoles open`);
  return [
    figure(`memory of ${String(CONSOLES)} open consoles`, Math.max(0, after - before), 'MB', { goal: { atMost: CONSOLES * 0.3 } }),
    figure(`processor of ${String(CONSOLES)} open consoles while nothing happens`, share, '% of a core', {
      goal: { atMost: CONSOLES * 0.02 },
    }),
  ];
}
