import { enabledChecks, type WatchedProjects } from '../projects/watched-projects.ts';
import { Timetable } from './timetable.ts';
import { type RecurringTurnsOf, type Turn, turnId, type TurnKey } from './turn.ts';

interface Planned {
  readonly turns: readonly TurnKey[];
  readonly checks: number;
}

const NOTHING: Planned = { turns: [], checks: 0 };

/** What this checker starts, and when, for the projects in its shards only. Sets no timer and reads no clock. */
export class Scheduler {
  private readonly timetable = new Timetable();
  private readonly planned = new Map<string, Planned>();
  /** The turns under way, each with the instant of the extra one that was asked for meanwhile. */
  private readonly underWay = new Map<string, number | null>();
  private checks = 0;
  private readonly shards = new Set<string>();

  constructor(
    private readonly projects: WatchedProjects,
    private readonly recurringTurns: readonly RecurringTurnsOf[],
  ) {}

  shardTaken(shard: string, projectIds: readonly string[], now: number): void {
    this.shards.add(shard);
    for (const projectId of projectIds) this.projectChanged(projectId, now);
  }

  shardLost(shard: string, now: number): void {
    this.shards.delete(shard);
    for (const projectId of [...this.planned.keys()]) this.projectChanged(projectId, now);
  }

  /** Created, changed, moved to another location, or deleted. */
  projectChanged(projectId: string, now: number): void {
    const known = this.projects.get(projectId);
    const project = known !== undefined && this.isOwned(projectId) ? known : null;
    const recurring = project === null ? [] : this.recurringTurns.flatMap((turnsOf) => turnsOf(project));
    const before = this.planned.get(projectId) ?? NOTHING;
    const turns = recurring.map(({ turn }) => turn);
    const ids = new Set(turns.map(turnId));
    const checks = project === null ? 0 : enabledChecks(project).length;
    for (const turn of before.turns) if (!ids.has(turnId(turn))) this.timetable.drop(turn);
    for (const one of recurring) this.timetable.plan(one, now);
    this.checks += checks - before.checks;
    if (project === null) this.planned.delete(projectId);
    else this.planned.set(projectId, { turns, checks });
  }

  /**
   * An extra turn, such as a confirming run; dropped if the shard is lost before it is due. While one of its key is under way, it is planned once that has
   * ended: what is under way may have read the settings of before.
   */
  scheduleOnce(turn: TurnKey, due: number): void {
    const asked = this.underWay.get(turnId(turn));
    if (asked === undefined) this.timetable.scheduleOnce(turn, due);
    else this.underWay.set(turnId(turn), Math.min(asked ?? Infinity, due));
  }

  /** False while a turn of its key is under way: this one is skipped. */
  begin(turn: TurnKey): boolean {
    const id = turnId(turn);
    if (this.underWay.has(id)) return false;
    this.underWay.set(id, null);
    return true;
  }

  end(turn: TurnKey): void {
    const asked = this.underWay.get(turnId(turn)) ?? null;
    this.underWay.delete(turnId(turn));
    if (asked !== null) this.timetable.scheduleOnce(turn, asked);
  }

  nextDue(): number | null {
    return this.timetable.nextDue();
  }

  takeDue(now: number): readonly Turn[] {
    return this.timetable.takeDue(now).filter(({ projectId }) => this.isOwned(projectId));
  }

  clockStepped(now: number, stepMs: number): void {
    this.timetable.clockStepped(now, stepMs);
  }

  isOwned(projectId: string): boolean {
    return this.shards.has(this.projects.shardOf(projectId) ?? '');
  }

  get plannedTurns(): number {
    return this.timetable.size;
  }

  /** Enabled checks of the projects in its shards. Counted as they change, because every scrape of the metrics asks for it. */
  get watchedChecks(): number {
    return this.checks;
  }
}
