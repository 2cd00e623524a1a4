import { ChildProcess } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

// What a test file costs, for `npm test -- --report`: one line of JSON for each in the file that TEST_REPORT names.

const report = process.env.TEST_REPORT;
const CLOCK_TICKS = 100;
const MAIN = /\bdist\/main\.js$/;
const KINDS = [
  ['services', (args) => args.some((arg) => MAIN.test(arg))],
  ['commands', (args) => args.some((arg) => /\bdist\/cli\.js$|command-host/.test(arg))],
  ['clusters', (args) => /\binitdb$/.test(args[0] ?? '') || args.some((arg) => /\/initdb$/.test(arg))],
  ['browsers', (args) => args.some((arg) => /--headless|chromium/.test(arg))],
  ['processes', () => true],
];

let started = {};
if (report !== undefined) {
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    const [kind] = KINDS.find(([, is]) => is(options.args ?? []));
    started[kind] = (started[kind] ?? 0) + 1;
    return spawn.call(this, options);
  };
}

/** Begins to measure a file; the answer writes down what it took. */
export function measure(path) {
  if (report === undefined) return () => undefined;
  started = {};
  globalThis.testStarted = Object.assign(globalThis.testStarted ?? {}, { databases: 0 });
  const [wall, cpu, children, loop] = [performance.now(), process.cpuUsage(), childSeconds(), performance.eventLoopUtilization()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const own = (user + system) / 1e6;
    const others = childSeconds() - children;
    const { idle } = performance.eventLoopUtilization(loop);
    const line = {
      ...{ path, wall: (performance.now() - wall) / 1e3, own, children: others, waited: Math.max(0, idle / 1e3 - others) },
      ...{ databases: globalThis.testStarted.databases, ...started },
    };
    appendFileSync(report, `${JSON.stringify(line)}\n`);
  };
}

/** Processor time of the processes that have ended, with theirs; Linux alone says it. */
export function childSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return (Number(fields[13]) + Number(fields[14])) / CLOCK_TICKS;
  } catch {
    return 0;
  }
}
