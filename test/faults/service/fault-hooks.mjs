import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';

// node --import fault-hooks.mjs: executes the orders in ORDERS_FILE at the start and at each SIGUSR2.
// offset: shifts the wall clock of this process by this many milliseconds. Timers and performance.now() do not jump, as on a machine whose clock is
// set.
// dieAt: ends as by SIGKILL before it sends a statement that contains one of `texts` (after skipping `skip` of them), or `afterMs` later.

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
/** True when it was time to die. */
const struck = (statement) => {
  const text = typeof statement === 'string' ? statement : `${statement?.name ?? ''} ${statement?.text ?? ''}`;
  return dieAt !== null && dieAt.texts.some((part) => text.includes(part)) && dieAt.skip-- === 0;
};

const watched = new WeakSet();
/** The bundle has a `pg` of its own, which nothing imports by name: its clients are known by their methods when the first listens to one. */
const watchQueries = (emitter) => {
  let client = emitter;
  while (client !== null && !Object.hasOwn(client, '_pulseQueryQueue')) client = Object.getPrototypeOf(client);
  if (client === null || watched.has(client)) return;
  watched.add(client);
  const { query } = client;
  client.query = function (statement, ...rest) {
    if (struck(statement)) {
      const { afterMs } = dieAt;
      dieAt = null;
      if (afterMs === null) die();
      else setTimeout(die, afterMs);
    }
    return query.call(this, statement, ...rest);
  };
};
const { on } = EventEmitter.prototype;
EventEmitter.prototype.on = EventEmitter.prototype.addListener = function (...given) {
  watchQueries(this);
  return on.apply(this, given);
};
