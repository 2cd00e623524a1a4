import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import type { Sealed } from '../../kernel/event.ts';
import { type Keyring, SubjectErased } from './keyring.ts';
import { SubjectKey } from './subject-key.ts';
import { unwrap, wrap } from './wrap.ts';

interface Cached {
  /** Null: erased, or never made. */
  readonly key: SubjectKey | null;
  readonly askedAt: number;
}

interface Row {
  readonly subject: string;
  readonly wrapped: Buffer | null;
}

interface Batch {
  readonly subjects: Set<string>;
  readonly loaded: Promise<ReadonlyMap<string, SubjectKey | null>>;
}

/** How long another instance may go on opening what was erased here; counted from before the key was asked for. */
const CACHE_MS = 900;
const CAPACITY = 20_000;

/** Keys in the table `subject_keys`, wrapped by the master key. An erased subject keeps its row without a key, so that no late writer makes a new one. */
export class PostgresKeyring implements Keyring {
  private readonly cache = new Map<string, Cached>();
  private batch: Batch | null = null;

  constructor(
    private readonly pool: pg.Pool,
    private readonly master: Uint8Array,
    private readonly clock: Clock = steadyClock,
  ) {}

  async seal(subject: string, text: string): Promise<Sealed> {
    const key = (await this.keyOf(subject)) ?? (await this.make(subject));
    return key.seal(text);
  }

  async open(sealed: Sealed): Promise<string | null> {
    const key = await this.keyOf(sealed.subject);
    return key === null ? null : key.open(sealed);
  }

  async erase(subject: string): Promise<void> {
    await this.pool.query({
      name: 'keyring-erase',
      text: `
        INSERT INTO subject_keys (subject, wrapped, erased_at) VALUES ($1, NULL, now())
        ON CONFLICT (subject) DO UPDATE SET wrapped = NULL, erased_at = coalesce(subject_keys.erased_at, now())`,
      values: [subject],
    });
    this.cache.set(subject, { key: null, askedAt: this.clock.now() });
  }

  private async keyOf(subject: string): Promise<SubjectKey | null> {
    const cached = this.cache.get(subject);
    if (cached !== undefined && this.clock.now() - cached.askedAt < CACHE_MS) return cached.key;
    this.batch ??= this.nextBatch();
    this.batch.subjects.add(subject);
    return (await this.batch.loaded).get(subject) ?? null;
  }

  private nextBatch(): Batch {
    const subjects = new Set<string>();
    const loaded = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.batch = null;
      return this.load([...subjects]);
    });
    return { subjects, loaded };
  }

  private async load(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey | null>> {
    const askedAt = this.clock.now();
    const { rows } = await this.pool.query<Row>({
      name: 'keyring-load',
      text: 'SELECT subject, wrapped FROM subject_keys WHERE subject = ANY($1)',
      values: [subjects],
    });
    const found = new Map(rows.map(({ subject, wrapped }) => [subject, wrapped === null ? null : this.unwrapped(subject, wrapped)]));
    for (const [subject, key] of found) this.remember(subject, { key, askedAt });
    return found;
  }

  /** Of several instances that make a key at once, all use the one that was first. */
  private async make(subject: string): Promise<SubjectKey> {
    const askedAt = this.clock.now();
    const { rows } = await this.pool.query<Row>({
      name: 'keyring-make',
      text: `
        INSERT INTO subject_keys AS known (subject, wrapped) VALUES ($1, $2)
        ON CONFLICT (subject) DO UPDATE SET wrapped = known.wrapped
        RETURNING subject, wrapped`,
      values: [subject, wrap(this.master, subject, randomBytes(32))],
    });
    const wrapped = rows[0]?.wrapped ?? null;
    if (wrapped === null) throw new SubjectErased(subject);
    const key = this.unwrapped(subject, wrapped);
    this.remember(subject, { key, askedAt });
    return key;
  }

  private unwrapped(subject: string, wrapped: Uint8Array): SubjectKey {
    return new SubjectKey(subject, unwrap(this.master, subject, wrapped));
  }

  private remember(subject: string, entry: Cached): void {
    const known = this.cache.get(subject);
    if (known !== undefined && known.askedAt > entry.askedAt) return;
    this.cache.delete(subject);
    this.cache.set(subject, entry);
    if (this.cache.size <= CAPACITY) return;
    const oldest = this.cache.keys().next();
    if (oldest.done !== true) this.cache.delete(oldest.value);
  }
}
