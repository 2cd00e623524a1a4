import { shardsOf } from '../../observations/shards.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import type { Views } from '../../projections/views/views.ts';

interface OccupiedShardsOptions {
  readonly views: Pick<Views, 'firsts'>;
  /** Whose shards this checker may take. */
  readonly locations: readonly string[];
  /** A shard has its first project. */
  readonly onOccupied: () => void;
}

/** The shards in which there are projects: a checker takes no others. One whose projects were all deleted stays until the next start. */
export class OccupiedShards {
  private readonly byLocation = new Map<string, readonly string[]>();

  constructor(private readonly options: OccupiedShardsOptions) {}

  /** Reads them from the read models. */
  async find(): Promise<void> {
    const { views, locations } = this.options;
    for (const location of locations) {
      const found = await views.firsts(projectView, 'shard', shardsOf(location), { parked: 'as before' });
      for (const shard of found.keys()) this.add(location, shard);
    }
  }

  /** Those of a location, in order. */
  of(location: string): readonly string[] {
    return this.byLocation.get(location) ?? [];
  }

  add(location: string, shard: string): void {
    const occupied = this.of(location);
    if (occupied.includes(shard) || !this.options.locations.includes(location)) return;
    this.byLocation.set(
      location,
      shardsOf(location).filter((other) => other === shard || occupied.includes(other)),
    );
    this.options.onOccupied();
  }
}
