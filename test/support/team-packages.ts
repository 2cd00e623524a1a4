import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParkedEvent } from '../../src/platform/read-models/engine/parked-events.ts';
import { TeamProcess } from '../../src/teams/process/team-process.ts';
import { compiledWorkers } from './compiled-worker.ts';

const ENTRY = new URL('../../src/teams/worker/main.ts', import.meta.url);
const KIT = new URL('./team-kit.ts', import.meta.url);
let programs: readonly [entry: URL, kit: URL] | undefined;

export interface TeamPackageOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly memoryMb?: number;
  readonly missedBeats?: number;
}

/** Of a restart in a test. */
const FIRST_RETRY_MS = 50;

/** Packages of teams in a folder of their own, each in a process of its own: what is in the way of a test notes what it saw. */
export class TeamPackages {
  readonly ends: string[] = [];
  readonly parked: ParkedEvent[] = [];
  readonly uncaught: string[] = [];
  readonly output: string[] = [];
  private readonly started: TeamProcess[] = [];

  private constructor(
    readonly folder: string,
    private readonly entry: URL,
    private readonly kit: URL,
  ) {}

  static async open(): Promise<TeamPackages> {
    const folder = await mkdtemp(join(tmpdir(), 'watchledger-packages-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    programs ??= compiledWorkers(ENTRY, KIT);
    return new TeamPackages(folder, ...programs);
  }

  /** A file of the package, in JavaScript; `KIT` stands for the address of the kit. */
  async write(name: string, source: string): Promise<string> {
    await writeFile(join(this.folder, name), source.replaceAll('KIT', this.kit.href));
    return `./${name}`;
  }

  /** The process of a package whose default export is `source`, an expression in the words of the kit. */
  async start(source: string, options: TeamPackageOptions = {}): Promise<TeamProcess> {
    const name = `package-${String(this.started.length)}.js`;
    return this.load(
      await this.write(
        name,
        `import { defineProjection, defineReactor, defineView, integer, scopeId } from 'KIT';\nexport default ${source};\n`,
      ),
      options,
    );
  }

  async load(from: string, { env = {}, memoryMb = 512, ...options }: TeamPackageOptions = {}): Promise<TeamProcess> {
    const team = await TeamProcess.start({
      ...{
        from,
        folder: this.folder,
        entry: this.entry,
        memoryMb,
        firstRetryMs: FIRST_RETRY_MS,
        ...options,
        env: { PATH: process.env['PATH'] ?? '', ...env },
      },
      onOutput: (line) => this.output.push(line),
      onParked: (parked) => this.parked.push(parked),
      onUncaught: ({ message }) => this.uncaught.push(message),
      onEnded: (reason) => this.ends.push(reason),
      onRunning: () => undefined,
    });
    this.started.push(team);
    return team;
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map((team) => team.close()));
    await rm(this.folder, { recursive: true });
  }
}
