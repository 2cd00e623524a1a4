/** First in, first out, with an amortized constant cost per operation. */
export class Fifo<Item> {
  private items: Item[] = [];
  private first = 0;

  get length(): number {
    return this.items.length - this.first;
  }

  get head(): Item | undefined {
    return this.items[this.first];
  }

  push(item: Item): void {
    this.items.push(item);
  }

  shift(): Item | undefined {
    const item = this.items[this.first];
    if (item === undefined) return undefined;
    this.first++;
    if (this.first * 2 >= this.items.length) {
      this.items = this.items.slice(this.first);
      this.first = 0;
    }
    return item;
  }
}

/** The account that work is done for; undefined for the service itself. */
export type AccountKey = number | undefined;

interface Flow<Item> {
  readonly account: AccountKey;
  readonly items: Fifo<Item>;
}

/** Fair queueing: a queue for each account, served round robin, so that an account with much work delays that of others by no more than one turn. */
export class FairQueue<Item extends object> {
  private readonly flows = new Map<AccountKey, Flow<Item>>();
  private readonly rotation = new Fifo<Flow<Item>>();
  length = 0;

  lengthOf(account: AccountKey): number {
    return this.flows.get(account)?.items.length ?? 0;
  }

  push(account: AccountKey, item: Item): void {
    let flow = this.flows.get(account);
    if (flow === undefined) {
      flow = { account, items: new Fifo() };
      this.flows.set(account, flow);
      this.rotation.push(flow);
    }
    flow.items.push(item);
    this.length++;
  }

  /** The oldest item of the next account that may have a turn. Skipped accounts lose nothing but their place in the rotation. */
  take(mayHaveTurn: (account: AccountKey) => boolean): Item | undefined {
    for (let left = this.rotation.length; left > 0; left--) {
      const flow = this.rotation.shift();
      if (flow === undefined) return undefined;
      const item = mayHaveTurn(flow.account) ? flow.items.shift() : undefined;
      if (flow.items.length > 0) this.rotation.push(flow);
      else this.flows.delete(flow.account);
      if (item === undefined) continue;
      this.length--;
      return item;
    }
    return undefined;
  }

  /** The oldest item of each account. */
  *heads(): Generator<Item> {
    for (const { items } of this.flows.values()) if (items.head !== undefined) yield items.head;
  }
}
