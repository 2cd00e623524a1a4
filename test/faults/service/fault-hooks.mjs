import { readFileSync } from 'node:fs';
import pg from 'pg';

// node --import fault-hooks.mjs: does what ORDERS_FILE says, when it starts and at each SIGUSR2.
// offset: the wall clock of this process stands so many milliseconds from the true one. What runs by itself, timers and performance.now(), does not
// jump, as on a machine whose clock is set.
// dieAt: it dies as by SIGKILL when it is about to send a statement that holds one of `texts`, the first `skip` left out, or `afterMs` later, wherever
// the statement is then.

let offset = 0;
let dieAt = null;
const obey = () => {
  try {
    ({ offset = 0, dieAt = null } = JSON.parse(readFileSync(process.env.ORDERS_FILE, 'utf8')));
  } catch {
    // No orders.
  }
};
obey();
process.on('SIGUSR2', obey);

const RealDate = Date;
const now = () => RealDate.now() + offset;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made === globalThis.Date ? target : made),
  apply: (target) => new target(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver === globalThis.Date ? target : receiver)),
});

const die = () => process.kill(process.pid, 'SIGKILL');
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (statement, ...rest) {
  const text = typeof statement === 'string' ? statement : `${statement?.name ?? ''} ${statement?.text ?? ''}`;
  if (dieAt !== null && dieAt.texts.some((part) => text.includes(part)) && dieAt.skip-- === 0) {
    const { afterMs } = dieAt;
    dieAt = null;
    if (afterMs === null) die();
    else setTimeout(die, afterMs);
  }
  return query.call(this, statement, ...rest);
};
