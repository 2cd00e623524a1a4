import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { CountAccesses, RecordAccess } from './access.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { systemClock } from '../../kernel/clock.ts';
import { growingCache } from '../../kernel/cached.ts';
import type { AccessStore, CountedReads, ReadsOfOne } from './access-store.ts';

export type ReadOfRecord = Pick<ReadsOfOne, 'projectId' | 'kind' | 'actor'>;

export interface AccessRecorderParts {
  readonly accesses: Pick<AccessStore, 'add' | 'due' | 'markRecorded' | 'delete'>;
  readonly commands: Pick<CommandBus, 'execute'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const FLUSH_MS = 1_000;
const SWEEP_MS = 60_000;
/** How long the first read of a day waits for its row; then it is answered, and the row is written later. */
const FIRST_WAIT_MS = 500;
/** Readers times projects that one instance remembers for a day; of others each read is written before its answer. */
const REMEMBERED = 20_000;
/** Readers, projects and kinds that wait in memory while the database takes no writes. */
const MAX_WAITING = 100_000;
const BATCH = 200;

/**
 * Records who read the record (docs/spec/beyond.md#B20). The first read of a day is in the database before its answer; further ones are counted in memory and
 * written once a second. Events follow from the rows, so a crash in between loses none, and neither a store nor a database that is away holds up a read.
 */
export class AccessRecorder {
  private waiting = new Map<string, ReadsOfOne>();
  private readonly today = growingCache<string, true>(REMEMBERED);
  /** One write at a time: what comes in meanwhile goes into the next. */
  private writing: Promise<void> = Promise.resolve();
  private appending: Promise<void> = Promise.resolve();
  private flush: NodeJS.Timeout | undefined;
  private sweep: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly parts: AccessRecorderParts) {}

  start(): void {
    this.sweep = setInterval(() => void this.append(), SWEEP_MS).unref();
  }

  /** Never rejects. */
  async record({ projectId, kind, actor }: ReadOfRecord): Promise<void> {
    const key = `${projectId ?? ''} ${actor.tokenId} ${kind}`;
    const now = new Date(systemClock.now());
    const before = this.waiting.get(key);
    if (before === undefined && this.waiting.size >= MAX_WAITING) return;
    this.waiting.set(key, {
      projectId,
      kind,
      actor,
      reads: (before?.reads ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
    });
    const keyOfDay = `${now.toISOString().slice(0, 10)} ${key}`;
    if (this.today.get(keyOfDay) !== true) {
      const written = this.write().then((isWritten) => {
        if (isWritten) this.today.set(keyOfDay, true);
      });
      await Promise.race([written, sleep(FIRST_WAIT_MS, undefined, { ref: false })]);
      return;
    }
    this.flush ??= setTimeout(() => void this.write(), FLUSH_MS).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.sweep);
    await this.write();
    await this.appending;
  }

  /** Answers whether everything that was waiting is in the database. */
  private async write(): Promise<boolean> {
    clearTimeout(this.flush);
    this.flush = undefined;
    let isWritten = true;
    this.writing = this.writing.then(async () => {
      isWritten = await this.writeWaiting();
    });
    await this.writing;
    return isWritten;
  }

  private async writeWaiting(): Promise<boolean> {
    if (this.waiting.size === 0) return true;
    const reads = this.waiting;
    this.waiting = new Map();
    try {
      if (await this.parts.accesses.add([...reads.values()])) void this.append();
      return true;
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'reads of the record were not written; they wait in memory');
      for (const [key, { reads: count, firstAt, ...read }] of reads) {
        const since = this.waiting.get(key);
        this.waiting.set(key, { ...read, ...since, firstAt, reads: count + (since?.reads ?? 0) });
      }
      if (!this.isClosed) this.flush ??= setTimeout(() => void this.write(), SWEEP_MS).unref();
      return false;
    }
  }

  /** Appends the events that rows lack; every instance may do it at the same time. */
  append(): Promise<void> {
    this.appending = this.appending
      .then(() => this.appendDue())
      .catch((error: unknown) => {
        this.parts.logger.warn({ err: error }, 'reads of the record have no event yet; retrying in a minute');
      });
    return this.appending;
  }

  private async appendDue(): Promise<void> {
    for (;;) {
      const due = await this.parts.accesses.due(BATCH);
      for (const reads of due) {
        if (this.isClosed) return;
        await this.appendOne(reads);
      }
      if (due.length < BATCH) return;
    }
  }

  private async appendOne(counted: CountedReads): Promise<void> {
    const { accesses, commands } = this.parts;
    const { projectId, kind, day, actor, reads, firstAt, lastAt, recorded, over } = counted;
    const access = { projectId, kind, day, tokenId: actor.tokenId };
    if (!recorded) {
      await commands.execute(new RecordAccess(systemContext(actor, firstAt.getTime()), { access }));
      await accesses.markRecorded(counted);
    }
    if (!over) return;
    const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
    await commands.execute(new CountAccesses(systemContext(actor, lastAt.getTime()), { counted: { ...access, count: reads, ...times } }));
    await accesses.delete(counted);
  }
}
