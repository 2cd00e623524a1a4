import { currentReplica } from './read-replicas/current-replica.ts';

interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Coalesces the lookups of one event-loop tick into one query, each key once: a DataLoader without a cache. The query starts after the
 * last of its lookups, so that no answer is older than its question.
 */
export class BatchedLookup<Answer> {
  private waiting = new Map<string, Waiting<Answer>[]>();

  constructor(private readonly query: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {}

  load(key: string): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.send());
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ resolve, reject }]);
      else others.push({ resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const batch = this.waiting;
    this.waiting = new Map();
    try {
      const answers = await this.query([...batch.keys()]);
      for (const [key, waiting] of batch) for (const { resolve } of waiting) resolve(answers.get(key));
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error);
    }
  }
}

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
