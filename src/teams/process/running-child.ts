import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ParkedEvent } from '../../platform/read-models/engine/parked-events.ts';
import type { Applying } from '../../platform/read-models/sets/set-work.ts';
import { CallChannel, CallFailed, type CallHandler } from '../call-channel.ts';
import type { ServiceCalls, WorkerCalls } from '../calls.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import { TeamOutput } from './team-output.ts';

export interface ChildOptions {
  /** As written in `PROJECTIONS`, and the folder that its paths are relative to. */
  readonly from: string;
  readonly folder: string;
  /** The program that the process runs. */
  readonly entry: URL;
  readonly env: Readonly<Record<string, string>>;
  /** Bound on its resident memory; its JavaScript may use three quarters of it. */
  readonly memoryMb: number;
  /** Beats without an answer after which it is killed. */
  readonly missedBeats?: number;
  readonly onOutput: (line: string) => void;
  readonly onParked: (parked: ParkedEvent) => void;
  readonly onUncaught: (error: ServiceCalls['uncaught']['given']) => void;
}

/** Behind this channel is code of others: longer messages end it. */
const MAX_MESSAGE = 4 * 1024 * 1024;
const BEAT_MS = 1_000;
/** Beats without an answer: an endless loop, or a handler that computes for long. */
const MISSED_BEATS = 10;
/** The import of a package may compile TypeScript and open connections. */
const LOAD_BEATS = 60;
/** Below the service and the database where they compete for the processor. */
const NICE = 10;
const END_MS = 3_000;
const MAX_SCHEMAS = 1_000;
const HEAP_SHARE = 3 / 4;
/** By default V8 lets a third of a heap with so low a limit be garbage: while events are read, it would collect all of it ten times a second. */
const HEAP_GROWING = '--heap-growing-percent=100';

/** The process of a package ended while a call waited for it; the supervisor starts it again. */
export class TeamProcessEnded extends Error {
  override readonly name = 'TeamProcessEnded';
}

/** One process of a package, from its start to its end: watched by heartbeats and limited in memory. */
export class RunningChild {
  /** Resolves with the reason of its end. */
  readonly ended: Promise<string>;
  private readonly over = new AbortController();
  private readonly channel: CallChannel;
  private killedFor: string | null = null;
  private isStopping = false;
  private beats = LOAD_BEATS;
  private readonly applying = new Map<string, Applying>();
  /** The schema whose event was the last one that was applied alone. */
  private lastAlone: string | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly options: ChildOptions,
    stderr: TeamOutput,
  ) {
    const heapMb = heapMbOf(options.memoryMb);
    // Cast: by the `pipe` at this index of `stdio`.
    this.channel = new CallChannel(child.stdio[3] as Duplex, {
      handlers: this.handlers(),
      maxMessage: MAX_MESSAGE,
      problemOf: (error) => ({ name: 'Error', message: error instanceof Error ? error.message : String(error) }),
    });
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        resolve(`it could not be started: ${error.message}`);
      });
      child.once('close', (code, signal) => {
        resolve(endReason({ code, signal, killedFor: this.killedFor, stderr: stderr.tail, heapMb }));
      });
    });
    void this.ended.then((reason) => {
      this.over.abort(new TeamProcessEnded(`the process of ${options.from} ended: ${reason}`));
      this.channel.close(reason);
    });
    void this.channel.closing.then(({ message, isViolation }) => {
      const kill = (): void => {
        this.kill(`it broke off the connection to the service: ${message}`);
      };
      // The end of the process closes the stream, too, a moment before its exit is known.
      if (isViolation) kill();
      else setTimeout(kill, BEAT_MS).unref();
    });
    void this.watch();
  }

  static start(options: ChildOptions): RunningChild {
    const { entry, env, memoryMb, folder } = options;
    const child = spawn(process.execPath, [`--max-old-space-size=${String(heapMbOf(memoryMb))}`, HEAP_GROWING, fileURLToPath(entry)], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) lowerPriority(child.pid);
    const output = new TeamOutput(options.onOutput);
    const stderr = new TeamOutput(options.onOutput);
    child.stdout?.on('data', (chunk: Buffer) => {
      output.write(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr.write(chunk);
    });
    return new RunningChild(child, options, stderr);
  }

  /** Casts: what a package says here is shown to operators, or is about the package alone. */
  private handlers(): Readonly<Record<keyof ServiceCalls, CallHandler>> {
    const { onParked, onUncaught } = this.options;
    return {
      parked: (given) => {
        onParked(given as ParkedEvent);
      },
      uncaught: (given) => {
        onUncaught(given as ServiceCalls['uncaught']['given']);
      },
      applying: (given) => {
        const applying = given as Applying;
        this.applying.set(applying.schema, applying);
        if (applying.partition !== null) this.lastAlone = applying.schema;
        if (this.applying.size > MAX_SCHEMAS) this.kill('it named too many schemas');
      },
    };
  }

  /** What the runner of a schema was about to apply when the process ended. An event of another schema that was applied alone later clears its own. */
  lastApplying(schema: string): Applying | undefined {
    const applying = this.applying.get(schema);
    return applying === undefined || schema === this.lastAlone ? applying : { ...applying, partition: null };
  }

  /** Aborts with `TeamProcessEnded` when the process ends. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  async load(): Promise<Manifest> {
    const { from, folder } = this.options;
    const manifest = readManifest(await this.call('load', { from, folder }));
    this.beats = this.options.missedBeats ?? MISSED_BEATS;
    return manifest;
  }

  async call<Name extends keyof WorkerCalls>(
    name: Name,
    given: WorkerCalls[Name]['given'],
    signal?: AbortSignal,
  ): Promise<WorkerCalls[Name]['result']> {
    try {
      // Numbers and texts about its own tables; what acts on more validates it.
      return await this.channel.call(name, given, signal);
    } catch (error) {
      if (error instanceof CallFailed) throw error;
      throw new TeamProcessEnded(`the process of ${this.options.from} ended: ${await this.ended}`);
    }
  }

  /** Its connections are closed in order; then it is killed. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.race([this.channel.call('stop').catch(() => undefined), sleep(END_MS, undefined, { ref: false })]);
    this.kill('the service stopped it');
    await this.ended;
  }

  private kill(reason: string): void {
    this.killedFor ??= reason;
    this.child.kill('SIGKILL');
  }

  private async watch(): Promise<void> {
    let missed = 0;
    let isAnswered = true;
    while (!this.over.signal.aborted && !this.isStopping) {
      if (isAnswered) {
        missed = 0;
        isAnswered = false;
        this.channel.call('ping').then(
          (rss) => {
            isAnswered = true;
            this.checkMemory(Number(rss));
          },
          () => undefined,
        );
      }
      await sleep(BEAT_MS, undefined, { ref: false });
      this.checkMemory(residentBytes(this.child.pid ?? 0));
      if (!isAnswered && ++missed >= this.beats)
        this.kill(`it did not answer for ${String(missed)} s: an endless loop, or code that computes for long without a pause`);
    }
  }

  private checkMemory(bytes: number): void {
    const { memoryMb } = this.options;
    const megabytes = Math.round(bytes / 2 ** 20);
    if (megabytes > memoryMb)
      this.kill(`its memory of ${String(megabytes)} MB exceeds the limit of ${String(memoryMb)} MB (TEAM_MEMORY_MB)`);
  }
}

const heapMbOf = (memoryMb: number): number => Math.floor(memoryMb * HEAP_SHARE);

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** As Linux sees it, also while the process is busy; elsewhere its own answer counts. */
function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the service ended it; null where it ended by itself. */
  readonly killedFor: string | null;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
  readonly heapMb: number;
}

/** Why the process of a package ended, for operators and authors. */
function endReason({ code, signal, killedFor, stderr, heapMb }: ProcessEnd): string {
  if (killedFor !== null) return killedFor;
  if (/heap out of memory|Reached heap limit/i.test(stderr))
    return `its JavaScript memory reached the limit of ${String(heapMb)} MB (TEAM_MEMORY_MB)`;
  if (signal === 'SIGABRT' || code === 134) return 'it aborted (SIGABRT): a crash in native code, or process.abort()';
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL' || signal === 'SIGFPE')
    return `a crash in native code (${signal})`;
  if (signal === 'SIGKILL') return 'it was killed (SIGKILL): perhaps by the operating system for want of memory';
  if (signal !== null) return `it was ended by ${signal}`;
  return `it exited with status ${String(code)}: process.exit()`;
}

/** The variables of the service that the process of a package gets, too: none of them is a secret of ours. */
const SHARED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
] as const;

/** An allow-list; `more` are the names of `TEAM_ENV`, for settings of the package itself. */
export function childEnvironment(env: Readonly<NodeJS.ProcessEnv>, more: readonly string[]): Record<string, string> {
  const found = [...SHARED, ...more].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}
