import type pg from 'pg';
import { numberOfShard, shardNumberOf } from './shards.ts';

/** A schema that holds the tables of some shards. */
export class ObservationSchema {
  /** Without a name it is the schema of the connection. */
  constructor(readonly name: string | null) {}

  /** Its qualified name. */
  table(name: string): string {
    return this.name === null ? name : `${this.name}.${name}`;
  }

  /** The name of a prepared statement: each schema has its own. */
  statement(name: string): string {
    return this.name === null ? name : `${this.name} ${name}`;
  }
}

/**
 * The schemas over which the shards are spread, shard modulo their number: one without a name by default, or `obs_00` and so on. Every statement is confined
 * to one of them, so that a distributed Postgres may place each on a node of its own (docs/scale.md).
 */
export class ObservationSchemas {
  readonly all: readonly ObservationSchema[];

  constructor(count: number) {
    const named = (_: unknown, index: number): ObservationSchema => new ObservationSchema(`obs_${String(index).padStart(2, '0')}`);
    this.all = count === 1 ? [new ObservationSchema(null)] : Array.from({ length: count }, named);
  }

  get areNamed(): boolean {
    return this.all.length > 1;
  }

  ofShard(shard: number): ObservationSchema {
    const schema = this.all[this.areNamed ? shard % this.all.length : 0];
    if (schema === undefined) throw new RangeError(`there is no shard ${String(shard)}`);
    return schema;
  }

  ofProject(projectId: string): ObservationSchema {
    return this.ofShard(shardNumberOf(projectId));
  }

  /** By the name of the lease of a shard. */
  ofLease(name: string): ObservationSchema {
    return this.ofShard(numberOfShard(name));
  }

  /** The items of each schema that has some. */
  group<Item>(items: Iterable<Item>, schemaOf: (item: Item) => ObservationSchema): ReadonlyMap<ObservationSchema, readonly Item[]> {
    const groups = new Map<ObservationSchema, Item[]>();
    for (const item of items) {
      const schema = schemaOf(item);
      const known = groups.get(schema);
      if (known === undefined) groups.set(schema, [item]);
      else known.push(item);
    }
    return groups;
  }
}

/** How the observations of a database are spread; a pool without it has one schema. */
interface Spread {
  readonly schemas?: ObservationSchemas;
}
export type ObservationDb = Pick<pg.Pool, 'query'> & Spread;
export type ObservationPool = pg.Pool & Spread;

const oneSchema = new ObservationSchemas(1);
export const schemasOf = ({ schemas = oneSchema }: Spread): ObservationSchemas => schemas;

/** What is made once for each schema, such as the texts of its statements. */
export function perSchema<Made>(make: (schema: ObservationSchema) => Made): (schema: ObservationSchema) => Made {
  const known = new Map<ObservationSchema, Made>();
  return (schema) => {
    const made = known.get(schema) ?? make(schema);
    known.set(schema, made);
    return made;
  };
}
