import { Injectable } from '@nestjs/common';
import { projectStream } from '../../../kernel/stream-names.ts';
import { InvalidInput } from '../../../kernel/errors.ts';
import { Log } from '../../log/log.ts';
import { instantOfPosition, readLogInstant } from '../../log/log-instant.ts';
import { LogSearcher } from '../../log/search.ts';
import { ViewsAt } from '../../read-models/views/views.ts';
import { currentRecomputation } from '../context/recomputation.ts';
import type { AsOf } from './as-of.ts';
import { answersAsOf } from './as-of-routes.ts';

const COMMIT = /^commit:([0-9a-f]{7,64})$/;

/** Resolves `asOf`, an instant, a log position or the commit of an apply of site files, to the views of then. */
@Injectable()
export class AsOfResolver {
  constructor(
    private readonly log: Log,
    private readonly views: ViewsAt,
    private readonly searcher: LogSearcher,
  ) {}

  /** Null when the request asks about the present. `projectId`: that of its path, where it has one. */
  async ofRequest(method: string, route: string, given: unknown, projectId: string | null): Promise<AsOf | null> {
    if (!answersAsOf(method, route)) return null;
    const again = currentRecomputation();
    if (again !== undefined) return this.exactly(again.n, again.at);
    return given === undefined ? null : this.read(given, 'asOf', projectId);
  }

  /** As of a position that the log is known to have; `at` is "now" in the answer. */
  exactly(n: number, at: number): AsOf {
    return { n, at, views: this.views.asOf(n) };
  }

  async read(given: unknown, name: string, projectId: string | null = null): Promise<AsOf> {
    if (typeof given === 'string' && given.startsWith('commit:')) return this.atPosition(await this.ofCommit(given, name, projectId), name);
    const instant = await readLogInstant(this.log, given, name);
    return { ...instant, views: this.views.asOf(instant.n) };
  }

  async atPosition(n: number, name: string): Promise<AsOf> {
    return { ...(await instantOfPosition(this.log, n, name)), views: this.views.asOf(n) };
  }

  /** The last event of the last apply of the commit. */
  private async ofCommit(given: string, name: string, projectId: string | null): Promise<number> {
    if (projectId === null) throw new InvalidInput(`${name}: a commit is one of a project, whose id has to be in the path`);
    const [, commit] = COMMIT.exec(given) ?? [];
    if (commit === undefined) throw new InvalidInput(`${name}: a commit must be 7 to 64 hexadecimal digits`);
    const [found, other] = [...(await this.searcher.appliedCommits(projectStream(projectId), commit)).values()];
    if (found === undefined) throw new InvalidInput(`${name}: no apply to this project names the commit ${commit}`);
    if (other !== undefined) throw new InvalidInput(`${name}: several commits begin with ${commit}; give more of it`);
    return found;
  }
}
