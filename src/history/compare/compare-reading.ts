import { upcast } from '../../events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { differences, type ComparedFields } from './diff.ts';
import { applyEvent, type ProjectState, readComparedState } from './project-state.ts';
import { readFields, touchedPaths, allPaths } from './compared-fields.ts';
import { Injectable } from '@nestjs/common';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { Log } from '../../platform/log/log.ts';
import type { AsOf } from '../../platform/http/as-of/as-of.ts';
import { withoutSecrets } from '../event.presenter.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** Events that state what followed from the clock and a certificate; no row changes with them. */
const STATUS_EVENTS: Readonly<Record<string, string>> = {
  CertificateExpiryApproached: 'project.sslStatus',
  CertificateExpiryReceded: 'project.sslStatus',
  CertificateExpired: 'project.sslStatus',
};

/** Events beside those of the certificate itself that may change its status. */
const MAY_CHANGE_STATUS = new Set(['ProjectCreated', 'ProjectUrlChanged', 'CertificateAlertPeriodChanged']);
const CERTIFICATE_PATH = 'project.ssl';

/** Attributes differences to events, by folding the events one by one and comparing before and after each. */
class Attribution {
  private readonly byPath = new Map<string, string[]>();
  /** The fields by path after the last event that touched them; undefined: not present. */
  private readonly known = new Map<string, ComparedFields | undefined>();

  /** `state`: that of the earlier instant; it is changed. */
  constructor(private readonly state: ProjectState) {}

  record(event: LogEvent): void {
    const path = STATUS_EVENTS[event.type];
    if (path !== undefined) this.add(path, event.id);
    try {
      this.fold(upcast(event));
    } catch {
      // An event that a fold rejects changes no row, here as in the views, which park its key.
    }
  }

  /** For a field of an object that was created or deleted in between, the events of the object count, too. */
  eventsOf(path: string): readonly string[] {
    const [object = path] = path.split('.', 1);
    return [...new Set([...(this.byPath.get(path) ?? []), ...(object === path ? [] : (this.byPath.get(object) ?? []))])];
  }

  private fold(event: LogEvent): void {
    const paths = touchedPaths(this.state, event);
    if (paths.length === 0) return;
    const now = Date.parse(event.recordedAt);
    // The clock may have changed the status since the event before; that is attributed only to events about the certificate.
    const ofCertificate = MAY_CHANGE_STATUS.has(event.type) || this.state.certificate.keyOf(event) !== null;
    const unknown = paths.filter((path) => ofCertificate || !this.known.has(path));
    this.refresh(unknown, now);
    const before = present(paths, this.known);
    applyEvent(this.state, event);
    this.refresh(paths, now);
    for (const { path } of differences(before, present(paths, this.known)))
      if (ofCertificate || !path.startsWith(CERTIFICATE_PATH)) this.add(path, event.id);
  }

  private refresh(paths: readonly string[], now: number): void {
    if (paths.length === 0) return;
    const fields = readFields(this.state, paths, now);
    for (const path of paths) this.known.set(path, fields.get(path));
  }

  private add(path: string, id: string): void {
    const known = this.byPath.get(path);
    if (known === undefined) this.byPath.set(path, [id]);
    else known.push(id);
  }
}

const present = (paths: readonly string[], known: ReadonlyMap<string, ComparedFields | undefined>): ReadonlyMap<string, ComparedFields> =>
  new Map(
    paths.flatMap((path) => {
      const fields = known.get(path);
      return fields === undefined ? [] : [[path, fields] as const];
    }),
  );

const PAGE = 500;
/** A page is parsed in one go. */
const PAGE_BYTES = 512 * 1024;

export interface AttributedChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly events: readonly string[];
}

/** The differences of a project between two instants, and the events that caused each (docs/spec/beyond.md#B3). */
@Injectable()
export class CompareReading {
  constructor(private readonly log: Log) {}

  async changes(projectId: string, from: AsOf, to: AsOf): Promise<readonly AttributedChange[]> {
    const scope = projectStream(projectId);
    const [earlier, later] = [await readComparedState(from.views, scope), await readComparedState(to.views, scope)];
    const found = differences(fields(earlier, from), fields(later, to));
    if (found.length === 0) return [];
    const attribution = new Attribution(earlier);
    const slice = new TimeSlice();
    for await (const event of this.between(scope, from.n, to.n)) {
      if (slice.isOver) await slice.next();
      attribution.record(event);
    }
    return found.map((difference) => ({
      path: difference.path,
      from: withoutSecrets(difference.from),
      to: withoutSecrets(difference.to),
      events: attribution.eventsOf(difference.path),
    }));
  }

  /** The position of the last of `limit` events; null: the rest has no more. */
  async endOfPage(projectId: string, after: number, until: number, limit: number): Promise<number | null> {
    let [left, end] = [limit, after];
    for await (const { n } of this.between(projectStream(projectId), after, until)) {
      if (left-- === 0) return end;
      end = n;
    }
    return null;
  }

  private async *between(scope: string, after: number, until: number): AsyncGenerator<LogEvent> {
    for (let position = after; position < until;) {
      const events = await this.log.read({ after: position, until, scope, limit: PAGE, bytes: PAGE_BYTES });
      const last = events.at(-1);
      if (last === undefined) return;
      yield* events;
      position = last.n;
    }
  }
}

const fields = (state: ProjectState, { at }: AsOf) => readFields(state, allPaths(state), at);
