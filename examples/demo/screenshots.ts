import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ApiClient } from '../../test/support/api-client.ts';
import { leaveChromium, openPage } from '../../test/support/chromium.ts';
import { endChromium } from '../../test/support/chromium-packages.ts';
import { Demo, DEMO_OWNER } from '../../test/support/demo.ts';

// npm run docs:screenshots: the pictures of docs/images, from a year of the demo in a real Chromium.

const IMAGES = resolve(import.meta.dirname, '../../docs/images');
const SETTLES_MS = 3_000;

const chromium = mkdtempSync(join(tmpdir(), 'watchledger-chromium-'));
process.env['TEST_CHROMIUM'] = chromium;
const demo = await Demo.open(365);
try {
  await demo.start();
  const { password } = demo;
  const api = await new ApiClient(demo.address, null, {}, false).signIn(DEMO_OWNER, password);
  const read = async <Body>(path: string): Promise<Body> => (await api.get(path)).body as Body;
  const idOf = async (title: string): Promise<string> => {
    const { projects } = await read<{ readonly projects: readonly { readonly id: string }[] }>(`/projects?search=${title}`);
    return projects[0]?.id ?? '';
  };
  const [shop, blog] = [await idOf('Alpine'), await idOf('Blog')];
  const { events } = await read<{ readonly events: readonly { readonly id: string }[] }>(
    `/project/${shop}/history?type=CheckFailed&limit=1`,
  );
  const tests = await read<readonly { readonly id: string; readonly name: string }[]>(`/project/${shop}/tests`);
  const check = tests.find(({ name }) => name === 'Trail shoes')?.id ?? '';

  const page = await openPage();
  await page.setViewport({ width: 1200, height: 720 });
  await page.goto(`${demo.address}/console`);
  await page.waitForFunction(`document.querySelector('input[name=email]') !== null`);
  await page.type('input[name=email]', DEMO_OWNER);
  await page.type('input[name=password]', password);
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('.header') !== null`);
  const pictures = {
    'console-sites': '/console',
    'console-site': `/console/projects/${blog}`,
    'console-evidence': `/console/projects/${shop}/events/${events[0]?.id ?? ''}`,
    'console-editor': `/console/projects/${shop}/checks/${check}`,
    'status-page': '/status/alpine',
  };
  for (const [name, path] of Object.entries(pictures)) {
    await page.goto(demo.address + path);
    await new Promise((settled) => setTimeout(settled, SETTLES_MS));
    await page.screenshot({ path: join(IMAGES, `${name}.png`), fullPage: false });
  }
} finally {
  await leaveChromium();
  endChromium(chromium);
  await demo.remove();
}
