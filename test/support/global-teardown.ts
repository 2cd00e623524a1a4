import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { endChromium } from './chromium-packages.ts';

export default async function globalTeardown(): Promise<void> {
  const cluster = globalThis.testCluster;
  globalThis.testCluster = undefined;
  await cluster?.stop();
  const description = process.env['TEST_API_DESCRIPTION'];
  if (description !== undefined) rmSync(dirname(description), { recursive: true, force: true });
  const chromium = process.env['TEST_CHROMIUM'];
  if (chromium !== undefined) endChromium(chromium);
}
