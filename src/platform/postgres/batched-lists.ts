import { BatchedLookup } from './batched-lookup.ts';
import { currentReplica } from './read-replicas/current-replica.ts';

/**
 * A `BatchedLookup` of the rows of each key: the lookups of one tick whose other parameters are equal share a query. Those that different replicas answer
 * share none, so that none is answered by a server that is too old for it.
 */
export class BatchedLists<Parameters, Row> {
  private readonly open = new Map<string, BatchedLookup<Row[]>>();

  constructor(
    private readonly query: (keys: readonly string[], parameters: Parameters) => Promise<readonly Row[]>,
    private readonly keyOf: (row: Row) => string,
  ) {}

  /** `parameters` are compared as JSON. */
  async load(key: string, parameters: Parameters): Promise<readonly Row[]> {
    const name = JSON.stringify([currentReplica()?.name, parameters]);
    const lookup = this.open.get(name) ?? this.begin(name, parameters);
    return (await lookup.load(key)) ?? [];
  }

  private begin(name: string, parameters: Parameters): BatchedLookup<Row[]> {
    const lookup = new BatchedLookup<Row[]>(async (keys) => {
      this.open.delete(name);
      const lists = new Map(keys.map((key): [string, Row[]] => [key, []]));
      for (const row of await this.query(keys, parameters)) lists.get(this.keyOf(row))?.push(row);
      return lists;
    });
    this.open.set(name, lookup);
    return lookup;
  }
}
