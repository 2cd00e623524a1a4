import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

export default async function globalTeardown(): Promise<void> {
  const cluster = globalThis.testCluster;
  globalThis.testCluster = undefined;
  await cluster?.stop();
  const description = process.env['TEST_API_DESCRIPTION'];
  if (description !== undefined) rmSync(dirname(description), { recursive: true, force: true });
  const chromium = process.env['TEST_CHROMIUM'];
  if (chromium !== undefined) endChromium(chromium);
}

/** The browsers of the workers (`test/support/chromium.ts`), their profiles and what they unpacked. */
function endChromium(folder: string): void {
  for (const worker of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = join(folder, worker, 'pid');
    if (existsSync(pid)) end(Number(readFileSync(pid, 'utf8')));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function end(pid: number): void {
  try {
    // With the processes of its pages, which write to the profile: it has a group of its own.
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended with its worker.
  }
}
