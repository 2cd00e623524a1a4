import { shardsOf } from '../../platform/observations/shards.ts';
import { projectView } from '../../projects/project.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';

interface OccupiedShardsOptions {
  readonly views: Pick<Views, 'firsts' | 'position'>;
  /** Whose shards this checker may take. */
  readonly locations: readonly string[];
  /** A shard has its first project, or has lost its last one. */
  readonly onOccupancy: () => void;
}

/**
 * The shards in which there are projects: a checker takes no others. All checkers have to know the same ones, because each takes its share of those that it
 * knows: a checker that still counted emptied shards would hold them, and leave others, which are beyond the share of its peers, without an owner.
 */
export class OccupiedShards {
  private readonly byLocation = new Map<string, readonly string[]>();
  /** The position of the event by which a shard got a project. */
  private readonly addedAt = new Map<string, number>();

  constructor(private readonly options: OccupiedShardsOptions) {}

  /** The log was replaced: positions of the former one mean nothing. */
  forgetPositions(): void {
    this.addedAt.clear();
  }

  /** Reads them from the read models, which contain every event up to their position. */
  async find(): Promise<void> {
    const { views, locations, onOccupancy } = this.options;
    const position = views.position();
    for (const location of locations) {
      const found = await views.firsts(projectView, 'shard', shardsOf(location), { parked: 'as before' });
      const before = this.of(location);
      const isOccupied = (shard: string): boolean => found.has(shard) || (this.addedAt.get(shard) ?? -1) > position;
      this.byLocation.set(location, shardsOf(location).filter(isOccupied));
      if (this.of(location).join() !== before.join()) onOccupancy();
    }
  }

  /** Those of a location, in order. */
  of(location: string): readonly string[] {
    return this.byLocation.get(location) ?? [];
  }

  add(location: string, shard: string, n: number): void {
    if (!this.options.locations.includes(location)) return;
    this.addedAt.set(shard, n);
    const occupied = this.of(location);
    if (occupied.includes(shard)) return;
    this.byLocation.set(
      location,
      shardsOf(location).filter((other) => other === shard || occupied.includes(other)),
    );
    this.options.onOccupancy();
  }
}
