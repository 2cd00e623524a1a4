import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PUPPETEER, readyChromium } from './chromium-packages.ts';

/** The part of puppeteer's page that the tests use; its packages are installed with the first test that needs them. */
export interface ChromiumPage {
  goto(url: string): Promise<unknown>;
  emulateMediaFeatures(features: readonly { readonly name: string; readonly value: string }[]): Promise<void>;
  setViewport(viewport: { readonly width: number; readonly height: number }): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  /** Before the first script of each page that is opened from now on. */
  evaluateOnNewDocument(source: string): Promise<unknown>;
  type(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
  waitForFunction(expression: string, options?: { readonly timeout: number; readonly polling?: number }): Promise<unknown>;
  setOfflineMode(isOffline: boolean): Promise<void>;
  setRequestInterception(isOn: boolean): Promise<void>;
  emulateTimezone(zone?: string): Promise<void>;
  emulateMediaType(type: 'screen' | 'print'): Promise<void>;
  screenshot(options: { readonly path: string; readonly fullPage: boolean }): Promise<unknown>;
  pdf(options: { readonly format: 'A4'; readonly path?: string }): Promise<Uint8Array>;
  on(event: 'request', listener: (request: ChromiumRequest) => void): void;
  on(event: 'pageerror', listener: (error: unknown) => void): void;
  on(event: 'dialog', listener: (dialog: { type(): string; accept(): Promise<void> }) => void): void;
  createCDPSession(): Promise<{ send(method: string, parameters?: object): Promise<unknown> }>;
  close(): Promise<void>;
}

interface ChromiumRequest {
  url(): string;
  continue(): Promise<void>;
  abort(): Promise<void>;
}

interface ChromiumProcess {
  readonly pid?: number;
  readonly stdio: readonly ({ unref?(): void } | null)[];
  unref(): void;
}

/** With cookies of its own. */
interface ChromiumContext {
  newPage(): Promise<ChromiumPage>;
  close(): Promise<void>;
}

interface ChromiumBrowser {
  createBrowserContext(): Promise<ChromiumContext>;
  process(): ChromiumProcess | null;
  wsEndpoint(): string;
  disconnect(): Promise<void>;
}

interface Puppeteer {
  launch(options: object): Promise<ChromiumBrowser>;
  connect(options: { readonly browserWSEndpoint: string }): Promise<ChromiumBrowser>;
}

export interface OpenedFile {
  readonly page: ChromiumPage;
  /** Addresses that the page asked for, besides the file itself; each was refused. */
  readonly requests: readonly string[];
  readonly errors: readonly string[];
}

interface Connection {
  readonly browser: ChromiumBrowser;
  readonly context: ChromiumContext;
}

let connected: Promise<Connection> | undefined;

/**
 * A page of a real Chromium: that of `CHROME_PATH`, or one that npm brings. One browser serves all test files of a jest worker,
 * each with cookies of its own; the global teardown ends it.
 */
export async function openPage(): Promise<ChromiumPage> {
  const { context } = await (connected ??= connect());
  return context.newPage();
}

/** Opens a file from the disk, with the network off. */
export async function openFile(path: string): Promise<OpenedFile> {
  const page = await openPage();
  const url = pathToFileURL(path).href;
  const [requests, errors]: [string[], string[]] = [[], []];
  await page.setOfflineMode(true);
  await page.setRequestInterception(true);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (request.url() === url) {
      void request.continue();
      return;
    }
    requests.push(request.url());
    void request.abort();
  });
  await page.goto(url);
  return { page, requests, errors };
}

/** After the tests of a file: its connection would keep jest waiting. */
export async function leaveChromium(): Promise<void> {
  const connection = await connected;
  connected = undefined;
  await connection?.context.close();
  await connection?.browser.disconnect();
}

async function connect(): Promise<Connection> {
  const browser = await browserOfWorker();
  return { browser, context: await browser.createBrowserContext() };
}

async function browserOfWorker(): Promise<ChromiumBrowser> {
  const folder = process.env['TEST_CHROMIUM'];
  if (folder === undefined) throw new Error('TEST_CHROMIUM is missing: the global set-up names the folder of the browsers');
  const { executablePath, libraries } = await readyChromium(folder);
  const { default: puppeteer } = (await import(pathToFileURL(PUPPETEER).href)) as { readonly default: Puppeteer };
  const own = join(folder, `worker-${process.env['JEST_WORKER_ID'] ?? '1'}`);
  const address = join(own, 'address');
  if (existsSync(address)) return puppeteer.connect({ browserWSEndpoint: readFileSync(address, 'utf8') });
  mkdirSync(own);
  // Chromium's sandbox does not start for root, as in most CI.
  const args = ['--lang=en-GB', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const env = { ...process.env, LANG: 'en_GB.UTF-8', ...(libraries !== null && { LD_LIBRARY_PATH: libraries }) };
  const browser = await puppeteer.launch({ executablePath, args, env, userDataDir: join(own, 'profile'), headless: 'shell' });
  const started = browser.process();
  // It outlives the file, and jest would wait for it and its pipes at the end of the worker.
  started?.unref();
  for (const pipe of started?.stdio ?? []) pipe?.unref?.();
  writeFileSync(join(own, 'pid'), String(started?.pid ?? ''));
  writeFileSync(address, browser.wsEndpoint());
  return browser;
}
