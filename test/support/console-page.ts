import { accessibilityProblems } from './accessibility.ts';
import { type ChromiumPage, openPage } from './chromium.ts';

const SEEN_MS = 60_000;

/** The console in a real Chromium, used as a person uses it. Errors of its scripts and of its policy are kept. */
export class ConsolePage {
  readonly errors: string[] = [];

  private constructor(
    private readonly page: ChromiumPage,
    private readonly base: string,
  ) {}

  static async open(base: string, path = '/console'): Promise<ConsolePage> {
    const page = await openPage();
    const opened = new ConsolePage(page, base);
    page.on('pageerror', (error) => opened.errors.push(String(error)));
    await page.setViewport({ width: 1280, height: 900 });
    await opened.go(path);
    return opened;
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

  evaluate(expression: string): Promise<unknown> {
    return this.page.evaluate(expression);
  }

  async text(): Promise<string> {
    return String(await this.page.evaluate('document.body.innerText'));
  }

  async path(): Promise<string> {
    return String(await this.page.evaluate('location.pathname + location.search'));
  }

  /** What is wrong with the page for people who read it otherwise, on a phone, on a wide screen, in the dark: `width scheme rule element`. */
  async problemsOfForms(): Promise<readonly string[]> {
    const found: string[] = [];
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
      const problems = await accessibilityProblems(this.page);
      found.push(...problems.map((problem) => `${String(width)} ${scheme} ${problem}`));
      const beyond = Number(await this.page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (beyond > 0) found.push(`${String(width)} ${scheme} scrolls sideways by ${String(beyond)} px`);
    }
    await this.page.emulateMediaFeatures([]);
    await this.page.setViewport({ width: 1280, height: 900 });
    return found;
  }

  close(): Promise<void> {
    return this.page.close();
  }

  private async holds(expression: string, what: string): Promise<void> {
    try {
      await this.page.waitForFunction(expression, { timeout: SEEN_MS });
    } catch {
      throw new Error(`the page does not show ${what}: ${(await this.text()).slice(0, 1_500)}`);
    }
  }
}
