import { accessibilityProblems } from './accessibility.ts';
import { type ChromiumPage, openPage } from './chromium.ts';
import { isRelease } from './thorough.ts';

const SEEN_MS = 60_000;
/** By default it reads the page, which lays it out, at every frame. */
const POLL_MS = 50;
/** What a page still does after that is no transition. */
const SETTLED_MS = 3_000;
/** From the body to the first control of the page: the header, the bar of time and the banner lie between. */
const MOST_TABS = 25;
const MOVING = "document.getAnimations().filter(({ playState }) => playState === 'running').length";
const FOCUSED = 'document.activeElement.outerHTML.slice(0, 120)';

interface PageLoading {
  readonly requests: number;
  /** Of scripts and styles, compressed. */
  readonly bytes: number;
  /** When a person saw something first, in milliseconds. */
  readonly firstPaint: number;
  readonly longestTask: number;
  /** Cumulative layout shift. */
  readonly shift: number;
}

/** Entries that the browser has kept since the page was opened. */
const LOADING = `new Promise((done) => {
  const tasks = [0];
  let shift = 0;
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) shift += entry.value; })).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => {
    const resources = performance.getEntriesByType('resource');
    const files = resources.filter(({ name }) => name.includes('/console/assets/'));
    done({
      requests: resources.length,
      bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      longestTask: Math.max(...tasks),
      shift,
    });
  }, 500);
})`;

const clockAhead = (milliseconds: number): string => `{
  const real = Date;
  globalThis.Date = class extends real {
    constructor(...given) {
      if (given.length === 0) super(real.now() + ${String(milliseconds)});
      else super(...given);
    }
    static now() {
      return real.now() + ${String(milliseconds)};
    }
  };
}`;

/** The console in a real Chromium, used as a person uses it. Errors of its scripts and of its policy are kept. */
export class ConsolePage {
  readonly errors: string[] = [];

  private constructor(
    private readonly page: ChromiumPage,
    private readonly base: string,
  ) {}

  /** `clockAheadMs`: by how much the clock of the browser is ahead; `language`: what it calls its own. */
  static async open(base: string, path = '/console', { clockAheadMs = 0, language = '' } = {}): Promise<ConsolePage> {
    const page = await openPage();
    if (clockAheadMs !== 0) await page.evaluateOnNewDocument(clockAhead(clockAheadMs));
    if (language !== '')
      await page.evaluateOnNewDocument(
        `Object.defineProperty(Navigator.prototype, 'language', { configurable: true, get: () => ${JSON.stringify(language)} })`,
      );
    const opened = new ConsolePage(page, base);
    page.on('pageerror', (error) => opened.errors.push(String(error)));
    page.on('dialog', (dialog) => {
      opened.errors.push(`A page that was left asked: ${dialog.type()}`);
      void dialog.accept();
    });
    await page.setViewport({ width: 1280, height: 900 });
    await opened.go(path);
    return opened;
  }

  /** From the next page on, answers from this path come later. */
  async delay(apiPath: string, milliseconds: number): Promise<void> {
    await this.afterFetching(apiPath, `new Promise((done) => setTimeout(done, ${String(milliseconds)}))`);
  }

  /** From the next page on, answers from this path come once the returned function was called. */
  async hold(apiPath: string, method = 'GET'): Promise<() => Promise<void>> {
    await this.page.evaluateOnNewDocument(`globalThis.released = new Promise((done) => (globalThis.release = done));`);
    await this.afterFetching(apiPath, 'globalThis.released', method);
    return async () => {
      await this.page.evaluate('globalThis.release()');
    };
  }

  private async afterFetching(apiPath: string, awaited: string, method = 'GET'): Promise<void> {
    await this.page.evaluateOnNewDocument(`{
      const real = globalThis.fetch;
      globalThis.fetch = async (...asked) => {
        const answer = await real(...asked);
        const { pathname } = new URL(asked[0].url ?? asked[0], location.href);
        if (pathname === ${JSON.stringify(apiPath)} && (asked[1]?.method ?? 'GET') === '${method}') await ${awaited};
        return answer;
      };
    }`);
  }

  async go(path: string): Promise<void> {
    await this.page.goto(this.base + path);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.present('input[name=email]');
    await this.page.type('input[name=email]', email);
    await this.page.type('input[name=password]', password);
    await this.press('Enter');
    await this.present('.header');
  }

  /** Of the signed-in account. */
  async signOut(): Promise<void> {
    await this.choose('Account menu of');
    await this.choose('Sign out');
    await this.present('input[name=email]');
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  async type(selector: string, text: string): Promise<void> {
    await this.present(selector);
    await this.page.type(selector, text);
  }

  /** Presses the button, or follows the link, with this text. */
  async choose(text: string): Promise<void> {
    const find = `[...document.querySelectorAll('button, a')].find((element) => element.textContent.trim().startsWith(${JSON.stringify(text)}))`;
    await this.holds(`${find} !== undefined`, `a button or a link “${text}”`);
    // By the element's own event, which works for links in a drawing as well.
    await this.page.evaluate(`${find}.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`);
  }

  sees(text: string): Promise<void> {
    return this.holds(`document.body.innerText.includes(${JSON.stringify(text)})`, `the text “${text}”`);
  }

  seesNo(text: string): Promise<void> {
    return this.holds(`!document.body.innerText.includes(${JSON.stringify(text)})`, `a page without the text “${text}”`);
  }

  present(selector: string): Promise<void> {
    return this.holds(`document.querySelector(${JSON.stringify(selector)}) !== null`, selector);
  }

  absent(selector: string): Promise<void> {
    return this.holds(`document.querySelector(${JSON.stringify(selector)}) === null`, `no ${selector}`);
  }

  /** The zone of the reader; empty: that of the machine. */
  inZone(zone: string): Promise<void> {
    return this.page.emulateTimezone(zone === '' ? undefined : zone);
  }

  /** So many lines of the table of sites. */
  lines(count: number): Promise<void> {
    return this.holds(`document.querySelectorAll('.rows .line').length === ${String(count)}`, `${String(count)} lines`);
  }

  /** Chooses an option of a field with a list. */
  async select(selector: string, value: string): Promise<void> {
    await this.holds(
      `[...(document.querySelector(${JSON.stringify(selector)})?.options ?? [])].some(({ value }) => value === ${JSON.stringify(value)})`,
      `${selector} with ${value}`,
    );
    const field = `document.querySelector(${JSON.stringify(selector)})`;
    await this.page.evaluate(`${field}.value = ${JSON.stringify(value)}; ${field}.dispatchEvent(new Event('change', { bubbles: true }))`);
  }

  /** An authenticator of the machine, which confirms that its person is there. */
  async plugInAuthenticator(): Promise<void> {
    const session = await this.page.createCDPSession();
    await session.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
    await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } });
  }

  /** With the left button from one share of the width of an element to another. */
  async dragOver(selector: string, from: number, to: number): Promise<void> {
    const [session, at] = [await this.page.createCDPSession(), await this.placesIn(selector)];
    const mouse = (type: string, share: number): Promise<unknown> =>
      session.send('Input.dispatchMouseEvent', { type, ...at(share), button: 'left', buttons: 1, clickCount: 1 });
    await mouse('mousePressed', from);
    await mouse('mouseMoved', to);
    await mouse('mouseReleased', to);
  }

  /** Moves two fingers apart, from the middle of an element. */
  async pinch(selector: string): Promise<void> {
    const [session, at] = [await this.page.createCDPSession(), await this.placesIn(selector)];
    const touch = (type: string, ...shares: readonly number[]): Promise<unknown> =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: shares.map((share, id) => ({ ...at(share), id })) });
    await touch('touchStart', 0.45, 0.55);
    await touch('touchMove', 0.3, 0.7);
    await touch('touchEnd');
  }

  private async placesIn(selector: string): Promise<(share: number) => { readonly x: number; readonly y: number }> {
    const box = `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`;
    const { left, top, width, height } = (await this.page.evaluate(box)) as Readonly<Record<'left' | 'top' | 'width' | 'height', number>>;
    return (share) => ({ x: Math.round(left + share * width), y: Math.round(top + height / 2) });
  }

  evaluate(expression: string): Promise<unknown> {
    return this.page.evaluate(expression);
  }

  async text(): Promise<string> {
    return String(await this.page.evaluate('document.body.innerText'));
  }

  async path(): Promise<string> {
    return String(await this.page.evaluate('location.pathname + location.search'));
  }

  async showIn(scheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  }

  /**
   * What is wrong with the page for people who read it otherwise, on a phone, on a wide screen, in the dark: `width scheme rule element`.
   * `judgesEach`: axe-core, which takes most of the time, judges each form, not the wide light one alone.
   */
  async problemsOfForms({ judgesEach = isRelease } = {}): Promise<readonly string[]> {
    const found: string[] = [];
    // What began to move before does not count.
    await this.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await this.settled(MOVING);
    for (const [width, scheme] of [
      [360, 'light'],
      [360, 'dark'],
      [1600, 'light'],
      [1600, 'dark'],
    ] as const) {
      await this.page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      await this.page.setViewport({ width, height: 800 });
      const isJudged = judgesEach || (width === 1600 && scheme === 'light');
      const problems = isJudged ? await accessibilityProblems(this.page) : [];
      found.push(...problems.map((problem) => `${String(width)} ${scheme} ${problem}`));
      const moving = Number(await this.page.evaluate(MOVING));
      if (moving > 0) found.push(`${String(width)} ${scheme} ${String(moving)} animations run although motion is reduced`);
      const beyond = await this.settled('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) found.push(`${String(width)} ${scheme} scrolls sideways by ${String(beyond)} px`);
    }
    await this.page.emulateMediaFeatures([]);
    await this.page.setViewport({ width: 1280, height: 900 });
    return found;
  }

  /** A figure that should be zero, once the frames after a change of form are drawn: charts take their width from an observer. */
  private async settled(figure: string): Promise<number> {
    const end = Date.now() + SETTLED_MS;
    for (;;) {
      const value = Number(await this.page.evaluate(figure));
      if (value <= 0 || Date.now() > end) return value;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** What is wrong for people without a pointer: nothing to reach by Tab in the page itself, or focus that cannot be seen. */
  async problemsOfKeyboard(): Promise<readonly string[]> {
    const found: string[] = [];
    await this.page.evaluate("document.activeElement?.blur(); document.querySelector('main').focus()");
    const isInMain = "document.querySelector('main').contains(document.activeElement)";
    for (let steps = 0; steps < MOST_TABS; steps++) {
      await this.press('Tab');
      const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none' || document.activeElement === document.body";
      if ((await this.page.evaluate(outline)) !== true) found.push(`${String(await this.page.evaluate(FOCUSED))} does not show its focus`);
      if ((await this.page.evaluate(isInMain)) === true) break;
      if (steps === MOST_TABS - 1) found.push('nothing in the page can be reached by Tab');
    }
    await this.page.evaluate('document.activeElement?.blur()');
    await this.press('?');
    await this.present('dialog[open] dl');
    await this.press('Escape');
    return found;
  }

  /** How the page that is open was loaded, and how it behaved meanwhile. */
  async loading(): Promise<PageLoading> {
    return (await this.page.evaluate(LOADING)) as PageLoading;
  }

  /** Once nothing is being read. */
  rests(): Promise<void> {
    return this.holds(`document.querySelector('main[aria-busy="true"]') === null`, 'a page at rest');
  }

  /** Controls that would change something: none of them belongs on a page of the past. */
  async changingControls(): Promise<readonly string[]> {
    const words =
      /^(Save|Delete|Plan|Invite|Add|Watch|Run|Make|Pause|Resume|Rebuild|Retry|Skip|Remove|Revoke|End|Publish|Change|Set up|Withdraw|Cancel)\b/;
    const texts = (await this.page.evaluate(
      "[...document.querySelectorAll('main button, main a')].filter((element) => !element.closest('[inert]') && !element.disabled).map((element) => element.textContent.trim())",
    )) as readonly string[];
    return texts.filter((text) => words.test(text));
  }

  close(): Promise<void> {
    return this.page.close();
  }

  /** Waits until an expression of the page is true. */
  async holds(expression: string, what: string): Promise<void> {
    try {
      await this.page.waitForFunction(expression, { timeout: SEEN_MS, polling: POLL_MS });
    } catch {
      throw new Error(`the page does not show ${what}: ${(await this.text()).slice(0, 6_000)}`);
    }
  }
}
