import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bench, figure } from './support/bench.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';

const CLI = resolve(import.meta.dirname, '../dist/cli.js');
const SITES = 1_000;
const CHECKS = 10;

/** A thousand site files of ten checks each, by the commands as a person types them: planned, applied to an empty service, and applied again. The floor: reading and checking the files without a service. */
const bench: Bench = async (tools) => {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-sites-'));
  for (let site = 0; site < SITES; site++) writeFileSync(join(folder, `site-${String(site)}.yaml`), siteText(site));
  try {
    return await withService(tools, async ({ address: url }) => {
      const token = await json(`${url}/api/authenticate`, ADMIN);
      const env = { PATH: process.env['PATH'] ?? '', WATCHLEDGER_URL: url, WATCHLEDGER_TOKEN: token };
      const timed = async (status: number, ...args: readonly string[]): Promise<number> => {
        const began = performance.now();
        await ended(env, status, [...args, folder]);
        return (performance.now() - began) / 1_000;
      };
      const floor = await timed(0, 'validate');
      const planned = await timed(3, 'plan');
      const applied = await timed(0, 'apply', '--yes');
      const again = await timed(0, 'apply', '--yes');
      const unchanged = await timed(0, 'plan');
      tools.say(`validate ${floor.toFixed(1)} s, plan ${planned.toFixed(1)} s, apply ${applied.toFixed(1)} s, again ${again.toFixed(1)} s`);
      return [
        figure('planning 1,000 new projects with 10 checks each, against validating their files', planned, 's', {
          ceiling: floor,
          goal: { atMost: 5 },
        }),
        figure('applying them for the first time, its plan included', applied, 's', { ceiling: floor, goal: { atMost: 60 } }),
        figure('applying them again, which changes nothing', again, 's', { ceiling: floor, goal: { atMost: 5 } }),
        figure('planning them again', unchanged, 's', { ceiling: floor, goal: { atMost: 5 } }),
      ];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

export default bench;

function siteText(site: number): string {
  const checks = Array.from({ length: CHECKS }, (_, check) => {
    const rules = `rules: [{ op: sub, val: Welcome ${String(check)} }, { type: status, op: eq, val: 200 }]`;
    return `      - { name: Page ${String(check)}, url: /page/${String(check)}, ${rules} }`;
  });
  return `key: site-${String(site)}\nurl: https://site-${String(site)}.example\nperiod: false\nuptimeEnabled: false\nhttpsRedirectEnabled: false\ngroups:\n  - name: Public\n    checks:\n${checks.join('\n')}\n`;
}

function ended(env: Readonly<Record<string, string>>, wanted: number, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((done, failed) => {
    child.once('close', (status) => {
      if (status === wanted) done();
      else failed(new Error(`${args.join(' ')} ended with ${String(status)}: ${err.slice(-2_000)}`));
    });
  });
}
