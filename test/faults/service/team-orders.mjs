import { renameSync } from 'node:fs';

// Imported by the package under fault injection, in its process: executes the orders in TEAM_ORDERS_FILE (fault-hooks.mjs), each once, so that the
// process which is started in its place lives.
const { TEAM_ORDERS_FILE: file } = process.env;
if (file !== undefined) {
  const taken = `${file}-${process.pid}`;
  process.env.ORDERS_FILE = taken;
  await import('./fault-hooks.mjs');
  setInterval(() => {
    try {
      renameSync(file, taken);
    } catch {
      return;
    }
    process.emit('SIGUSR2');
  }, 20).unref();
}
