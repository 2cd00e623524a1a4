import { Injectable } from '@nestjs/common';
import { areaEvents } from '../projects/areas/area.events.ts';
import { checkEvents } from '../projects/checks/check.events.ts';
import { correctionEvents } from '../checker/corrections/correction.events.ts';
import { maintenanceEvents } from '../projects/maintenance/maintenance.events.ts';
import { projectEvents } from '../projects/project.events.ts';
import { projectIdOf, projectStream } from '../kernel/stream-names.ts';
import { justBefore } from '../kernel/instants.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { FeedScopes } from '../history/feed/feed-scopes.ts';
import type { MarksAnswer } from './overview.api.ts';

const FAILURES = ['CheckFailed', 'UptimeWentDown', 'CertificateExpired', 'CertificateDistrusted', 'RedirectFailed'];
const MAINTENANCE = Object.keys(maintenanceEvents);
/** Recorded by the service itself: what it found on a homepage or in a form, and the tombstone of a creation. */
const OWN = new Set(['HomepageInspected', 'AreaFormFirstFound', 'AreaFormFoundChanged', 'ProjectCreationAbandoned']);
const CHANGES = Object.keys({ ...projectEvents, ...areaEvents, ...checkEvents, ...correctionEvents }).filter((type) => !OWN.has(type));
export const markKinds = new Map<string, MarksAnswer['marks'][number]['kind']>([
  ...CHANGES.map((type) => [type, 'change'] as const),
  ...MAINTENANCE.map((type) => [type, 'maintenance'] as const),
  ...FAILURES.map((type) => [type, 'failure'] as const),
]);
/** More than a bar of time has pixels to tell them apart. */
const MAX_MARKS = 1_000;

/** The events that a bar of time marks. */
@Injectable()
export class MarksReading {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly log: Log,
    private readonly scopes: FeedScopes,
  ) {}

  /** `from` and `to`: ISO 8601. */
  async between(principal: Principal, from: string, to: string, projectId: string | null): Promise<MarksAnswer> {
    const scopes = await this.scopes.of(principal, projectId === null ? null : [projectStream(projectId)]);
    const [after, until] = await Promise.all([this.log.at(justBefore(from)), this.log.at(to)]);
    const found = await this.searcher.find({
      after,
      before: until + 1,
      scopes,
      types: [...markKinds.keys()],
      stream: null,
      actors: [],
      direction: 'desc',
      limit: MAX_MARKS + 1,
    });
    const marks = found.slice(0, MAX_MARKS).toReversed();
    return {
      isComplete: found.length <= MAX_MARKS,
      marks: marks.map(({ id, n, scope, type, recordedAt }) => ({
        at: recordedAt,
        kind: markKinds.get(type) ?? 'change',
        position: String(n),
        project: projectIdOf(scope),
        event: id,
      })),
    };
  }
}
