import type { Plan, ProjectPlan } from '../plan/plan.ts';
import { shardOf } from '../shards/shard-of.ts';
import { type Due, type Recurring, Timetable } from './timetable.ts';

/** What recurs of a project, such as the runs of its groups. Keys begin with a kind and the project's id. */
export type TurnsOf = (plan: ProjectPlan) => readonly Recurring[];

export const keyOf = (kind: string, projectId: string, id: string): string => `${kind} ${projectId} ${id}`;

export interface Turn extends Due {
  readonly kind: string;
  readonly projectId: string;
  readonly id: string;
}

/** What this checker has to begin, and when: of the projects in its shards, and of no other. Knows no timer, only the time that it is given. */
export class Conductor {
  private readonly timetable = new Timetable();
  private readonly keys = new Map<string, ReadonlySet<string>>();
  private readonly shards = new Set<string>();

  constructor(
    private readonly plan: Plan,
    private readonly turnsOf: readonly TurnsOf[],
  ) {}

  taken(shard: string, now: number): readonly string[] {
    this.shards.add(shard);
    const projects = [...this.plan.ids()].filter((projectId) => this.shardOf(projectId) === shard);
    for (const projectId of projects) this.changed(projectId, now);
    return projects;
  }

  lost(shard: string, now: number): void {
    this.shards.delete(shard);
    for (const projectId of [...this.keys.keys()]) this.changed(projectId, now);
  }

  /** The project was created, changed, moved to another location, or deleted. */
  changed(projectId: string, now: number): void {
    const plan = this.plan.get(projectId);
    const turns = plan !== undefined && this.isOurs(projectId) ? this.turnsOf.flatMap((of) => of(plan)) : [];
    const wanted = new Set(turns.map(({ key }) => key));
    for (const key of this.keys.get(projectId) ?? []) if (!wanted.has(key)) this.timetable.drop(key);
    for (const turn of turns) this.timetable.plan(turn, now);
    if (wanted.size === 0) this.keys.delete(projectId);
    else this.keys.set(projectId, wanted);
  }

  /** An extra turn, such as a confirming run. It is dropped with the shard when it comes up after the shard was lost. */
  once(kind: string, projectId: string, id: string, due: number): void {
    this.timetable.once(keyOf(kind, projectId, id), due);
  }

  next(): number | null {
    return this.timetable.next();
  }

  take(now: number): readonly Turn[] {
    return this.timetable
      .take(now)
      .map(({ key, due }) => {
        const [kind = '', projectId = '', id = ''] = key.split(' ');
        return { key, due, kind, projectId, id };
      })
      .filter(({ projectId }) => this.isOurs(projectId));
  }

  jumped(now: number, step: number): void {
    this.timetable.jumped(now, step);
  }

  shardOf(projectId: string): string {
    return shardOf(this.plan.get(projectId)?.project.settings.location ?? '', projectId);
  }

  isOurs(projectId: string): boolean {
    return this.shards.has(this.shardOf(projectId));
  }

  get planned(): number {
    return this.timetable.size;
  }
}
