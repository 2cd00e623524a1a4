/** A page of a list, and the cursor of the one after it, null when it is the last. */
export interface ReadPage<Page> {
  readonly page: Page;
  readonly next: string | null;
}

/**
 * A list, read page by page as it is iterated. Pages go on behind the last item of the one before (keyset pagination): what is added or removed meanwhile
 * moves no other item over a page boundary.
 */
export class ListReader<Page, Item> implements AsyncIterable<Item> {
  #cursor: string | null;
  #isAtEnd = false;

  constructor(
    private readonly read: (cursor: string | null) => Promise<ReadPage<Page>>,
    private readonly itemsOf: (page: Page) => readonly Item[],
    cursor: string | null,
  ) {
    this.#cursor = cursor;
  }

  /** The cursor of the page that is being read, null for the first: another reader with it begins with this page. */
  get cursor(): string | null {
    return this.#cursor;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  async *pages(): AsyncGenerator<Page, void> {
    while (!this.#isAtEnd) {
      const { page, next } = await this.read(this.#cursor);
      yield page;
      // Only now has the caller finished with the page.
      if (next === null) this.#isAtEnd = true;
      else this.#cursor = next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* this.itemsOf(page);
  }

  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** The cursor of the link to the next page (RFC 8288). */
export function nextCursorOf(link: string | null): string | null {
  const target = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? null : new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('cursor');
}
