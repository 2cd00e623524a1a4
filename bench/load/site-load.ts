import { Clients } from './clients.ts';
import { ALL_ROLES, openLoadWorld } from './load-world.ts';
import { largest, machine, mean } from './report.ts';
import { type Sample, Watch } from './watch.ts';

export interface SitePlan {
  readonly sites: number;
  /** Of each site, every five minutes, beside its uptime every 15 s. */
  readonly checks: number;
  readonly minutes: number;
  /** Processes of checkers, beside one for the API and one for projections and reactors; 0: one process has all roles. */
  readonly checkers: number;
  readonly say: (line: string) => void;
}

/** Seconds until everything is on time, or all probes are; null: never. */
export interface Recovery {
  readonly all: number | null;
  readonly probes: number | null;
}

export interface SiteLoad extends SitePlan {
  readonly loadBefore: number;
  readonly madeSeconds: number;
  /** From the last site, and from the restart after a pause. */
  readonly recovered: { readonly made: Recovery; readonly restarted: Recovery };
  readonly samples: readonly Sample[];
}

const LOOK_MS = 5_000;
const SAMPLE_MS = 10_000;
const UPTIME_S = 15;
const CHECKS_S = 300;
/** Everything is due at the restart. */
const PAUSE_MS = 60_000;
const GIVE_UP_MS = 180_000;
/** Beyond what an interval of five seconds varies by. */
const RATE_FLOOR = 0.9;
const ON_TIME_MS = 1_000;

/** Sites that are made as fast as clients can, then a restart after a pause, then the steady state. */
export async function runSites(plan: SitePlan): Promise<SiteLoad> {
  const { sites, checks, checkers, minutes, say } = plan;
  const world = await openLoadWorld(say, rolesOf(checkers));
  try {
    const maker = await Clients.signIn(await world.start(), world.account);
    const began = performance.now();
    say(`making ${sites.toLocaleString('en')} sites with ${String(checks)} checks each ...`);
    await maker.makeSites(sites, world.siteUrl, checks);
    const madeSeconds = Math.round((performance.now() - began) / 1_000);
    say(`made in ${String(madeSeconds)} s`);
    const made = await untilOnTime(await Watch.begin(world.services, world.pool, maker), plan);
    say('stopped for a minute ...');
    await world.stop();
    await pause(PAUSE_MS);
    const clients = await Clients.signIn(await world.start(), world.account, maker);
    const watch = await Watch.begin(world.services, world.pool, clients);
    const restarted = await untilOnTime(watch, plan);
    const samples: Sample[] = [];
    clients.begin();
    while (samples.length * SAMPLE_MS < minutes * 60_000) {
      await pause(SAMPLE_MS);
      const sample = await watch.sample();
      samples.push(sample);
      say(JSON.stringify(sample));
    }
    await clients.end();
    return { ...plan, loadBefore: world.loadBefore, madeSeconds, recovered: { made, restarted }, samples };
  } finally {
    await world.close();
  }
}

const rolesOf = (checkers: number): readonly string[] =>
  checkers === 0 ? [ALL_ROLES] : ['api', 'projector,reactor', ...Array<string>(checkers).fill('checker')];

/** Until all probes and groups of checks start on time, at their full rate and without a warning. */
async function untilOnTime(watch: Watch, { sites, say }: SitePlan): Promise<Recovery> {
  const probesDue = sites / UPTIME_S;
  // The checks of a site are one group, whose runs are one turn.
  const due = probesDue + sites / CHECKS_S;
  const began = performance.now();
  let probesSince: number | null = null;
  while (performance.now() - began < GIVE_UP_MS) {
    await pause(LOOK_MS);
    const { turns, lateMs, probes, probesLateMs, troubles } = await watch.sample();
    const seconds = Math.round((performance.now() - began) / 1_000);
    say(
      `after ${String(seconds)} s: ${String(turns)} of ${due.toFixed(0)} turns a second, late by ${String(lateMs)} ms, probes by ${String(probesLateMs)} ms, ${String(troubles)} warnings`,
    );
    const areProbesOnTime = probes >= probesDue * RATE_FLOOR && probesLateMs <= ON_TIME_MS;
    probesSince = areProbesOnTime ? (probesSince ?? seconds) : null;
    if (turns >= due * RATE_FLOOR && lateMs <= ON_TIME_MS && troubles === 0) return { all: seconds, probes: probesSince };
  }
  return { all: null, probes: probesSince };
}

/** What a thousand sites cost, as docs/scale.md calculates it. */
export function siteTable(load: SiteLoad): string {
  const { sites, checks, madeSeconds, recovered, samples, checkers } = load;
  const thousands = sites / 1_000;
  const ratio = mean(samples.slice(0, 6).map(spent)) / mean(samples.slice(-6).map(spent));
  const row = (what: string, of: (sample: Sample) => number, unit: string): string => {
    const value = mean(samples.map(of));
    return `| ${what} | ${shown(value)} ${unit} | ${shown(value / thousands)} ${unit} |`;
  };
  const names = checkers === 0 ? ['service'] : rolesOf(checkers);
  const after = (seconds: number | null): string =>
    `after ${seconds === null ? `more than ${String(GIVE_UP_MS / 1_000)}` : String(seconds)} s`;
  const recovery = (what: string, { all, probes }: Recovery): string =>
    `${what}: probes on time ${after(probes)}, everything ${after(all)}`;
  return [
    `${sites.toLocaleString('en')} sites with ${String(checks)} checks, ${machine(load)}.`,
    `Made in ${String(madeSeconds)} s. ${recovery('Then', recovered.made)}. ${recovery('Restarted after a minute', recovered.restarted)}.`,
    `The first minute cost ${ratio.toFixed(2)} times the last; late by at most ${String(largest(samples.map(({ lateMs }) => lateMs)))} ms (99 of 100, worst 10 s).`,
    '',
    '| | all | a thousand sites |',
    '|---|---:|---:|',
    row('probes and groups of checks a second', ({ turns }) => turns, '/s'),
    ...names.map((name, index) => row(`processor of ${name}, of one core`, ({ processor }) => processor[index] ?? 0, '%')),
    row('processor of Postgres, of one core', ({ postgresProcessor }) => postgresProcessor, '%'),
    ...names.map((name, index) => row(`memory of ${name}`, ({ memoryMb }) => memoryMb[index] ?? 0, 'MB')),
    row('statements a second', ({ statements }) => statements, '/s'),
    row('write-ahead log', ({ walKb }) => walKb, 'KB/s'),
    row('reading a project, median', ({ readMs }) => readMs.p50, 'ms'),
  ].join('\n');
}

const spent = ({ processor }: Sample): number => processor.reduce((sum, share) => sum + share, 0);
const shown = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });
const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));
