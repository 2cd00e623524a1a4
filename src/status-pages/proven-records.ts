import { Injectable } from '@nestjs/common';
import { itemsOf } from './status-page.settings.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { Ledger } from '../proof/seal/ledger.ts';
import { itemsOfPage } from './model.ts';
import { PROVEN_RECORD, type ProvenRecord } from '../proof/status-page/proven-record.ts';
import type { ServedPage } from './page-cache.ts';
import { type ProvableEvent, RecordReading } from './record-reading.ts';

/** Events of one item. */
const MOST_OF_ITEM = 30;
/** It reads the log for each item. */
const CONCURRENT = 1;
const MOST_WAITING = 20;

const iso = (at: number): string => new Date(at).toISOString();

/** What a stranger needs to check a page (`watchledger verify --status-page`): what it says, and the events behind it under one checkpoint. */
@Injectable()
export class ProvenRecords {
  private readonly limit = new ConcurrencyLimit(CONCURRENT, { maxQueue: MOST_WAITING });

  constructor(
    private readonly records: RecordReading,
    private readonly ledger: Ledger,
  ) {}

  of(served: ServedPage): Promise<ProvenRecord> {
    return this.limit.run(() => this.read(served));
  }

  private async read({ page, model }: ServedPage): Promise<ProvenRecord> {
    const items = itemsOfPage(model);
    const found = new Map<number, ProvableEvent & { readonly item: string | null }>();
    const add = (events: readonly ProvableEvent[], item: string | null): void => {
      for (const event of events) if (!found.has(event.n)) found.set(event.n, { ...event, item });
    };
    add(await this.records.ofIncidents(page), null);
    for (const [index, item] of itemsOf(page.settings).entries()) {
      const { key = null, recorded = null } = items[index] ?? {};
      add(await this.records.ofItem(page, item, MOST_OF_ITEM), key);
      // The event of a failure that lasts for months is no longer among the newest.
      const failed = recorded === null ? null : await this.records.at(page, recorded.n);
      if (failed !== null) add([failed], key);
    }
    const events = [...found.values()].toSorted((one, other) => one.n - other.n);
    const [{ checkpoint, paths }, keys] = await Promise.all([this.ledger.prove(events.map(({ n }) => n)), this.ledger.verifierKeys()]);
    return {
      format: PROVEN_RECORD,
      title: model.title,
      slug: model.slug,
      at: iso(model.at),
      items: items.map(({ key, name, state, since, recorded }) => ({
        key,
        name,
        state,
        since: since === null ? null : iso(since),
        recordedAt: recorded === null ? null : iso(recorded.at),
        event: recorded?.n ?? null,
      })),
      incidents: model.incidents.map(({ id, title, state, updates }) => ({
        id,
        title,
        state,
        updates: updates.map((update) => ({
          state: update.state,
          wordings: update.wordings.map(({ text, at, n }) => ({ text, at: iso(at), n })),
        })),
      })),
      events: events.map(({ n, at, kind, about, item, hash, leaf }, index) => ({
        n,
        recordedAt: iso(at),
        kind,
        about,
        item,
        leafHash: hash,
        ...(leaf !== null && { leaf }),
        path: paths[index] ?? [],
      })),
      checkpoint,
      keys,
    };
  }
}
