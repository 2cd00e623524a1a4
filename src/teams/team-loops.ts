import type pg from 'pg';
import type { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import type { TeamProcess } from './process/team-process.ts';

const CLOSE_MS = 2_000;

/** Work that one part of a package causes: under a lease of its own, with a pool of its own. */
export interface TeamLoop {
  readonly loop: LeasedLoop;
  readonly pool: pg.Pool;
}

/** The loops of all packages, none of which slows or stops another one. */
export class TeamLoops {
  constructor(
    private readonly teams: readonly TeamProcess[],
    private readonly loops: readonly TeamLoop[],
  ) {}

  start(): void {
    for (const { loop } of this.loops) loop.start();
  }

  async close(): Promise<void> {
    // Code that does not pause, or waits for an effect, would hold up the end.
    const late = setTimeout(() => {
      for (const team of this.teams) void team.close();
    }, CLOSE_MS);
    await Promise.all(
      this.loops.map(async ({ loop, pool }) => {
        await loop.close();
        await pool.end();
      }),
    );
    clearTimeout(late);
  }
}
