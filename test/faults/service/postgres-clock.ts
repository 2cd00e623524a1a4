import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of libfaketime on Debian; LIBFAKETIME overrides it. */
const FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib', ...['x86_64', 'aarch64'].map((kind) => `/usr/lib/${kind}-linux-gnu`)];

/** The wall clock of Postgres only; its timers do not jump. */
export class PostgresClock {
  private constructor(
    private readonly library: string,
    private readonly file: string,
  ) {}

  /** Null without libfaketime. */
  static in(folder: string): PostgresClock | null {
    const library = findLibrary();
    if (library === null) return null;
    const clock = new PostgresClock(library, join(folder, 'postgres-clock'));
    clock.step(0);
    return clock;
  }

  step(milliseconds: number): void {
    const seconds = Math.round(milliseconds / 1_000);
    // The text keeps its length, so that a concurrent read never sees a partial time.
    writeFileSync(this.file, `${seconds < 0 ? '-' : '+'}${String(Math.abs(seconds)).padStart(6, '0')}`, { mode: 0o644 });
  }

  /** The environment that gives a program this clock. */
  around(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
    const env = {
      ...{ LD_PRELOAD: this.library, FAKETIME_TIMESTAMP_FILE: this.file, FAKETIME_CACHE_DURATION: '1' },
      ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DISABLE_SHM: '1', FAKETIME_DONT_RESET: '1' },
    };
    return { file: 'env', args: [...Object.entries(env).map(([name, value]) => `${name}=${value}`), file, ...args] };
  }
}

function findLibrary(): string | null {
  const named = process.env['LIBFAKETIME'];
  const folders = FOLDERS.flatMap((folder) => [folder, join(folder, 'faketime')]).filter((folder) => existsSync(folder));
  const found = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^libfaketime\.so(\.\d+)?$/.test(name))
      .map((name) => join(folder, name)),
  );
  return named ?? found[0] ?? null;
}
