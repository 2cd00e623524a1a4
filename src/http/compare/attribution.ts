import { upcast } from '../../domain/events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { differences, type Fields } from './diff.ts';
import { type ProjectState, take } from './project-state.ts';
import { pathsTouched, thingsOf } from './things.ts';

/** What follows from the clock and a certificate is said by these; no row changes with them. */
const SAID: Readonly<Record<string, string>> = {
  CertificateExpiryApproached: 'project.sslStatus',
  CertificateExpired: 'project.sslStatus',
};

/** Beside those of the certificate itself, what its status follows from. */
const MOVES_STATUS = new Set(['ProjectCreated', 'ProjectUrlChanged', 'CertificateAlertPeriodChanged']);
const OF_CERTIFICATE = 'project.ssl';

/** Which events made which difference: the rows go on event by event, and each difference is its event's. */
export class Attribution {
  private readonly byPath = new Map<string, string[]>();
  /** How the things stood after the last event that touched them; undefined: not there. */
  private readonly known = new Map<string, Fields | undefined>();

  /** The state is the earlier instant's, and is used up. */
  constructor(private readonly state: ProjectState) {}

  take(event: LogEvent): void {
    const said = SAID[event.type];
    if (said !== undefined) this.add(said, event.id);
    try {
      this.fold(upcast(event));
    } catch {
      // One that a fold cannot take changes no row, here as in the views: its key is parked, and reads of it say so.
    }
  }

  /** Of a field within a thing that came or went meanwhile, the events of the thing count as well. */
  of(path: string): readonly string[] {
    const [thing = path] = path.split('.', 1);
    return [...new Set([...(this.byPath.get(path) ?? []), ...(thing === path ? [] : (this.byPath.get(thing) ?? []))])];
  }

  private fold(event: LogEvent): void {
    const paths = pathsTouched(this.state, event);
    if (paths.length === 0) return;
    const now = Date.parse(event.recordedAt);
    // What follows from the clock may have moved since the event before, and is the event's only where it speaks of it.
    const ofCertificate = MOVES_STATUS.has(event.type) || this.state.certificate.keyOf(event) !== null;
    const unknown = paths.filter((path) => ofCertificate || !this.known.has(path));
    this.look(unknown, now);
    const before = present(paths, this.known);
    take(this.state, event);
    this.look(paths, now);
    for (const { path } of differences(before, present(paths, this.known)))
      if (ofCertificate || !path.startsWith(OF_CERTIFICATE)) this.add(path, event.id);
  }

  private look(paths: readonly string[], now: number): void {
    if (paths.length === 0) return;
    const things = thingsOf(this.state, paths, now);
    for (const path of paths) this.known.set(path, things.get(path));
  }

  private add(path: string, id: string): void {
    const known = this.byPath.get(path);
    if (known === undefined) this.byPath.set(path, [id]);
    else known.push(id);
  }
}

const present = (paths: readonly string[], known: ReadonlyMap<string, Fields | undefined>): ReadonlyMap<string, Fields> =>
  new Map(
    paths.flatMap((path) => {
      const fields = known.get(path);
      return fields === undefined ? [] : [[path, fields] as const];
    }),
  );
