import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, checkNode, install, root } from '../../src/operations/launch/prepare.mjs';

// npm run demo: a year of history of six sites in a data folder of its own, then the service on it, and the sites that it watches.

checkNode();
install();
const dataDir = resolve(process.env.DEMO_DIR ?? join(root, 'data-demo'));
const days = process.env.DEMO_DAYS ?? '365';
if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > 365) stop(`DEMO_DAYS: must be a number from 1 to 365, found "${days}"`);

/** Nothing else of the environment: neither a database nor an event store of the reader gets history that was made up. */
const { PATH, HOME, TMPDIR, HOST, PORT, PUBLIC_URL, DEMO_HTTP_PORT, DEMO_HTTPS_PORT } = process.env;
const given = { PATH, HOME, TMPDIR, HOST, PORT, PUBLIC_URL, DEMO_HTTP_PORT, DEMO_HTTPS_PORT };
const env = {
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  ...{ DATA_DIR: dataDir, ADMIN_EMAIL: 'ada.winter@demo.example', ALLOW_TARGETS: '127.0.0.0/8', LOG_LEVEL: 'warn' },
};
const hooks = ['--import', new URL('../../bench/support/register.mjs', import.meta.url).href];
const script = (name) => join(import.meta.dirname, name);
// In the data folder there is no .env.
const options = { env, cwd: dataDir, stdio: 'inherit' };

const [mark, filled] = [join(dataDir, 'demo'), join(dataDir, 'demo-filled')];
// The fill runs from the sources, so it need not wait for the build.
const filling = existsSync(filled) ? undefined : fill();
build();
await filling;

const address = PUBLIC_URL ?? `http://${HOST ?? '127.0.0.1'}:${PORT ?? '3000'}`;
console.error(`watchledger: every state of the pages of the console: ${address}/console/gallery`);

env.NODE_EXTRA_CA_CERTS = join(dataDir, 'sites', 'authority.pem');
const sites = spawn(process.execPath, [...hooks, script('serve-sites.ts')], options);
const service = spawn(process.execPath, [join(root, 'dist', 'main.js')], options);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => {
  sites.kill();
  process.exitCode = code ?? 1;
});

async function fill() {
  const isOther = existsSync(dataDir) && !existsSync(mark) && readdirSync(dataDir).length > 0;
  if (isOther) stop(`${dataDir} contains something else than a demo: name another folder in DEMO_DIR`);
  // An earlier fill was interrupted.
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  writeFileSync(mark, 'Made by npm run demo. To begin anew, delete this folder.\n');
  const began = performance.now();
  const [status] = await once(spawn(process.execPath, [...hooks, script('fill.ts'), days], options), 'exit');
  if (status !== 0) stop('the demo could not be filled');
  writeFileSync(filled, '');
  const seconds = String(Math.round((performance.now() - began) / 1_000));
  console.error(`watchledger: ${days === '365' ? 'a year' : `${days} days`} of six sites is there, after ${seconds} s`);
}

function stop(reason) {
  console.error(`watchledger: ${reason}`);
  process.exit(1);
}
