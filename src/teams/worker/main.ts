import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../../kernel/system-error.ts';
import { ProjectionStopped } from '../../platform/read-models/engine/checkpoint.ts';
import type { ParkedEvent } from '../../platform/read-models/engine/parked-events.ts';
import type { Applying } from '../../platform/read-models/sets/set-work.ts';
import { CallChannel, type CallHandler, type CallProblem } from '../call-channel.ts';
import type { ServiceCalls, WorkerCalls } from '../calls.ts';
import { type LoadedPackage, loadPackage } from './load-package.ts';
import { isModule, manifestOf } from './manifest-of.ts';
import { ProjectionWorker } from './projection-worker.ts';
import { ReactorWorker } from './reactor-worker.ts';
import { WorkerPools } from './worker-pools.ts';
import { programFolder } from '../../platform/config/program.ts';
import type { ServiceUrls } from './import-hooks.ts';

/** The bundle of each package that exists once in a process: Nest compares classes by identity. */
const SHARED = {
  'watchledger/projection': 'projection.js',
  '@nestjs/common': 'nestjs-common.js',
  '@nestjs/core': 'nestjs-core.js',
  '@nestjs/cqrs': 'nestjs-cqrs.js',
};

let isPrepared = false;

/** Registers the import hooks for files of teams, once per process; without the bundle, as in tests of the sources, there are none. */
function prepareImports(): void {
  if (isPrepared || !existsSync(new URL('./import-hooks.js', import.meta.url))) return;
  isPrepared = true;
  const bundle = (name: string): string => pathToFileURL(join(programFolder, 'dist', name)).href;
  const shared = Object.fromEntries(Object.entries(SHARED).map(([name, file]) => [name, bundle(file)]));
  const data: ServiceUrls = { shared, root: import.meta.url };
  register('./import-hooks.js', import.meta.url, { data });
}

// The process of one package of PROJECTIONS (docs/decisions/team-processes.md). The service started it, asks for everything that it does over the
// stream with the descriptor 3, and ends with it.

const STREAM = 3;
const MAX_MESSAGE = 16 * 1024 * 1024;
const MAX_TEXT = 4_000;

/** The main thread does not notice the end of the service while the code of the package keeps it busy. */
const ORPHAN_WATCH = `
  const parent = process.ppid;
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
new Worker(ORPHAN_WATCH, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } }).unref();

const pools = new WorkerPools();
let loaded: LoadedPackage | undefined;
let worker: ProjectionWorker | undefined;
let reactors: ReactorWorker | undefined;

const tell = <Name extends keyof ServiceCalls>(name: Name, given: ServiceCalls[Name]['given']): void => {
  channel.call(name, given).catch(() => undefined);
};

/** Thrown where no code of this product waits for it: its event counts as applied, and the process continues. */
function uncaught(error: unknown): void {
  const { message, stack = '' } = error instanceof Error ? error : new Error(`thrown without an error: ${String(error)}`);
  tell('uncaught', { message: message.slice(0, MAX_TEXT), stack: stack.slice(0, MAX_TEXT) });
}
process.on('uncaughtException', uncaught);
process.on('unhandledRejection', (error, promise) => {
  if (reactors?.noteUnhandled(error, promise) !== true) uncaught(error);
});
process.on('rejectionHandled', (promise) => reactors?.noteHandled(promise));

const projections = (): ProjectionWorker => {
  if (worker === undefined) throw new Error('the package is not loaded');
  return worker;
};

const reactions = (): ReactorWorker => {
  if (reactors === undefined) throw new Error('the package is not loaded');
  return reactors;
};

type Handlers = {
  readonly [Name in keyof WorkerCalls]: (
    given: WorkerCalls[Name]['given'],
    signal: AbortSignal,
  ) => WorkerCalls[Name]['result'] | Promise<WorkerCalls[Name]['result']>;
};

const handlers: Handlers = {
  load: async ({ from, folder }) => {
    prepareImports();
    loaded = await loadPackage(from, folder);
    const onParked = (parked: ParkedEvent): void => tell('parked', parked);
    const onApplying = (applying: Applying): void => tell('applying', applying);
    worker = new ProjectionWorker(loaded.projections, pools, onParked, onApplying);
    reactors = new ReactorWorker(loaded.reactors);
    return manifestOf(from, loaded);
  },
  ping: () => process.memoryUsage.rss(),
  connect: (given) => projections().connect(given),
  dropConnections: () => {
    pools.drop();
    return null;
  },
  createTables: (given) => projections().createTables(given),
  openRunner: (given) => projections().openRunner(given),
  begin: (given) => projections().begin(given),
  applyNext: (given, signal) => projections().applyNext(given, signal),
  applyBatch: (given, signal) => projections().applyBatch(given, signal),
  retryParked: (given) => projections().retryParked(given),
  fillView: (given, signal) => projections().fillView(given, signal),
  allowEffects: (given) => reactions().allowEffects(given),
  react: (given) => reactions().react(given),
  rehearse: (given) => reactions().rehearse(given),
  serve: async (given) => {
    const module = loaded?.module;
    if (!isModule(module)) throw new Error('the package has no module');
    // Nest is loaded where there is something to serve.
    const { serveRoutes } = await import('./serve-routes.ts');
    await serveRoutes(module, given, pools, uncaught);
    return null;
  },
  stop: async () => {
    await pools.end();
    return null;
  },
};

function problemOf(error: unknown): CallProblem {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const code = codeOf(error);
  const detail = error instanceof ProjectionStopped ? { stopped: true, parked: worker?.parkedBy(error) ?? null } : undefined;
  return { name, message: message.slice(0, MAX_TEXT), ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) };
}

// Cast: by the names of the calls, both sides are of one program.
const calls = handlers as unknown as Readonly<Record<string, CallHandler>>;
const channel = new CallChannel(new Socket({ fd: STREAM, readable: true, writable: true }), {
  handlers: calls,
  maxMessage: MAX_MESSAGE,
  problemOf,
});
void channel.closing.then(() => process.exit(0));
