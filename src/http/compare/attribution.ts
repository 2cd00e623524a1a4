import { upcast } from '../../domain/events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { differences } from './diff.ts';
import { type ProjectState, take } from './project-state.ts';
import { pathsTouched, thingsOf } from './things.ts';

/** What follows from the clock and a certificate is said by these; no row changes with them. */
const SAID: Readonly<Record<string, string>> = {
  CertificateExpiryApproached: 'project.sslStatus',
  CertificateExpired: 'project.sslStatus',
};

/** Which events made which difference: the rows go on event by event, and each difference is its event's. */
export class Attribution {
  private readonly byPath = new Map<string, string[]>();

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
    const before = thingsOf(this.state, paths, now);
    take(this.state, event);
    for (const { path } of differences(before, thingsOf(this.state, paths, now))) this.add(path, event.id);
  }

  private add(path: string, id: string): void {
    const known = this.byPath.get(path);
    if (known === undefined) this.byPath.set(path, [id]);
    else known.push(id);
  }
}
