import { readFileSync } from 'node:fs';

// node --import clock-step.mjs: the wall clock of this process jumps on SIGUSR2 to what CLOCK_FILE says, in milliseconds from the true one. What runs by
// itself, timers and performance.now(), does not jump, as on a machine whose clock is set.

let offset = 0;
const RealDate = Date;
const now = () => RealDate.now() + offset;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made === globalThis.Date ? target : made),
  apply: (target) => new target(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver === globalThis.Date ? target : receiver)),
});
process.on('SIGUSR2', () => {
  offset = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
});
