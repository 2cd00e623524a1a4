import { WorkerPool } from '../checker/judging/worker-pool.ts';
import { InvalidInput, RefusedUnderLoad } from '../kernel/errors.ts';
import type { FileProblem, GivenFile } from './read-site-files.ts';
import type { SiteFile } from './site-file.dto.ts';
import type { StatusPageFile } from './status-page-file.dto.ts';

export interface ParsedSite {
  readonly file: string;
  /** The place of the file among those that were given. */
  readonly fileIndex: number;
  readonly site: SiteFile;
}

export interface ParsedStatusPage {
  readonly file: string;
  readonly fileIndex: number;
  readonly page: StatusPageFile;
}

export interface ParsedSites {
  readonly sites: readonly ParsedSite[];
  readonly pages: readonly ParsedStatusPage[];
  readonly problems: readonly FileProblem[];
}

class SiteFilesNotRead extends RefusedUnderLoad {
  readonly code = 'UNAVAILABLE';
}

/** Of CPU time. A mebibyte of anything takes half of it. */
const TIMEOUT_MS = 5_000;
const IDLE_MS = 120_000;

/** Reads site files on worker threads that can be terminated. */
export class SiteFileParser {
  private readonly pool: WorkerPool;

  constructor(entry: URL = new URL('./site-files-worker.js', import.meta.url)) {
    this.pool = new WorkerPool({
      entry,
      // One hostile text leaves a thread to the others.
      size: 2,
      busyFactor: 3,
      idleMs: IDLE_MS,
      limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
  }

  async parse(files: readonly GivenFile[], account: number): Promise<ParsedSites> {
    let parsed: ParsedSites = { sites: [], pages: [], problems: [] };
    const onReport = (report: unknown): undefined => {
      // The worker of this entry sends nothing else.
      parsed = report as ParsedSites;
      return undefined;
    };
    const bytes = files.reduce((sum, { text }) => sum + text.length, 0);
    const result = await this.pool.run(files, TIMEOUT_MS, onReport, { bytes, source: { account } });
    if (result === 'done') return parsed;
    if (result === 'late' || result === 'memory') throw new InvalidInput('files: reading them takes too much time or memory');
    throw new SiteFilesNotRead('No thread that reads site files is available. Retry shortly.');
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
