import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type Clock, steadyClock } from '../../../kernel/clock.ts';
import type { Sealed } from '../../../kernel/event.ts';
import { growingCache } from '../../../kernel/cached.ts';
import { BatchedLookup } from '../../postgres/batched-lookup.ts';
import { WITHOUT_FLUSH } from '../../postgres/transaction.ts';
import { type Keyring, SubjectErased } from './keyring.ts';
import { type MasterKeys, WRAPPED_BY_ACTIVE } from './master-keys.ts';
import { SubjectKey } from './subject-key.ts';

interface Cached {
  /** Null when it was erased. */
  readonly key: SubjectKey | null;
  /** The time before the query, so that a key is never older than it seems. */
  readonly queriedAt: number;
}

interface Row {
  readonly subject: string;
  readonly wrapped: Buffer | null;
}

/** How long another instance may still decrypt texts of a subject that was erased here. */
const CACHE_MS = 900;
const CAPACITY = 20_000;

/** Envelope encryption: keys in the table `subject_keys`, wrapped by the master key. The row of an erased subject stays, without a key, so that a late writer cannot create a new key. */
export class PostgresKeyring implements Keyring {
  private readonly cache = growingCache<string, Cached>(CAPACITY);
  private readonly lookup = new BatchedLookup((subjects) => this.load(subjects));

  constructor(
    private readonly pool: pg.Pool,
    private readonly master: MasterKeys,
    private readonly clock: Clock = steadyClock,
    /** Whether a key survives a crash before the event that needs it is appended, as it must where the events are in another store. */
    private readonly flush = true,
  ) {}

  async seal(subject: string, text: string): Promise<Sealed> {
    const key = (await this.keyOf(subject)) ?? (await this.create(subject));
    return key.seal(text);
  }

  async sealFirst(subject: string, text: string): Promise<Sealed> {
    return (await this.create(subject)).seal(text);
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
    this.cache.set(subject, { key: null, queriedAt: this.clock.now() });
  }

  private async keyOf(subject: string): Promise<SubjectKey | null> {
    const cached = this.cache.get(subject);
    if (cached !== undefined && this.clock.now() - cached.queriedAt < CACHE_MS) return cached.key;
    return (await this.lookup.load(subject)) ?? null;
  }

  private async load(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey | null>> {
    const queriedAt = this.clock.now();
    const { rows } = await this.pool.query<Row>({
      name: 'keyring-load',
      text: 'SELECT subject, wrapped FROM subject_keys WHERE subject = ANY($1)',
      values: [subjects],
    });
    const found = new Map<string, SubjectKey | null>();
    for (const { subject, wrapped } of rows) found.set(subject, wrapped === null ? null : await this.unwrapped(subject, wrapped));
    for (const [subject, key] of found) this.remember(subject, { key, queriedAt });
    return found;
  }

  /** When several instances create a key at once, all use the first one. */
  private async create(subject: string): Promise<SubjectKey> {
    const queriedAt = this.clock.now();
    const { wrapped } = await this.master.wrapping(subject, randomBytes(32), async ({ fingerprints, wrapped: wraps }) => {
      const { rows } = await this.pool.query<Row>({
        name: `keyring-make-${String(this.flush)}`,
        text: `
          INSERT INTO subject_keys AS known (subject, wrapped) SELECT $1, wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
          ON CONFLICT (subject) DO UPDATE SET wrapped = known.wrapped
          RETURNING subject, wrapped${this.flush ? '' : `, ${WITHOUT_FLUSH}`}`,
        values: [subject, fingerprints, wraps],
      });
      return rows[0];
    });
    if (wrapped === null) throw new SubjectErased(subject);
    const key = await this.unwrapped(subject, wrapped);
    this.remember(subject, { key, queriedAt });
    return key;
  }

  private async unwrapped(subject: string, wrapped: Uint8Array): Promise<SubjectKey> {
    return new SubjectKey(subject, await this.master.unwrap(subject, wrapped));
  }

  private remember(subject: string, entry: Cached): void {
    const known = this.cache.get(subject);
    if (known === undefined || known.queriedAt <= entry.queriedAt) this.cache.set(subject, entry);
  }
}
