import type pg from 'pg';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { fingerprintOf, type KeyState, KeyStates } from './key-states.ts';
import { MasterKeyWrong, unwrap, wrap } from './master-key.ts';

/** The keys that this instance has, the newest first: the variables, or the files. Read again when the database uses another one. */
export type ReadMasterKeys = () => Promise<readonly Uint8Array[]>;

interface InUse {
  readonly key: Uint8Array;
  readonly state: Exclude<KeyState, 'retired'>;
}

const REFRESH_MS = 900;

/** The same parameters for each statement that stores a wrapped key: the database picks the wrap of the key in use, and holds it until the commit. */
export interface Wraps {
  readonly fingerprints: readonly string[];
  readonly wrapped: readonly Buffer[];
}

/** Answers `wrapped`; parameters $2 and $3 are those of `Wraps`. Without a row the key in use is not one of this instance. */
export const WRAPPED_BY_ACTIVE = `
  SELECT mine.wrapped FROM installation_key AS used
  JOIN unnest($2::text[], $3::bytea[]) AS mine (fingerprint, wrapped) USING (fingerprint)
  WHERE used.name = 'master' AND used.state = 'active' FOR SHARE OF used`;

/**
 * The master keys of this instance: two during a rotation. Which one wraps is decided in the database, so that instances with the old configuration, with
 * both keys and with the new one read each other's rows. A retired key opens nothing, even where it is still configured.
 */
export class MasterKeys {
  private keys: readonly Uint8Array[] = [];
  private inUse: readonly InUse[] = [];
  private loadedAt = -Infinity;

  constructor(
    private readonly pool: pg.Pool,
    private readonly readKeys: ReadMasterKeys,
  ) {}

  /** Refuses a start without the key in use. */
  async open(): Promise<void> {
    await this.load();
    if (this.inUse.some(({ state }) => state === 'active')) return;
    throw new StartRefused(
      'the master key is not the one in use: set MASTER_KEY to it (and MASTER_KEY_PREVIOUS to the one before while a rotation is unfinished); see docs/keys.md',
    );
  }

  /** For readiness: the key in use may have changed since the start. */
  async check(): Promise<void> {
    if (performance.now() - this.loadedAt > REFRESH_MS) await this.load();
    if (!this.inUse.some(({ state }) => state === 'active'))
      throw new Error('the master key was rotated, and this instance has only the old one');
  }

  async unwrap(name: string, wrapped: Uint8Array): Promise<Buffer> {
    if (performance.now() - this.loadedAt > REFRESH_MS) await this.load();
    const opened = this.tryEach(name, wrapped);
    if (opened !== null) return opened;
    await this.load();
    return this.tryEach(name, wrapped) ?? failed(name);
  }

  /** Runs a statement with `WRAPPED_BY_ACTIVE`; again with the keys read anew when another key is in use by now. */
  async wrapping<T>(name: string, key: Uint8Array, store: (wraps: Wraps) => Promise<T | undefined>): Promise<T> {
    if (this.keys.length === 0) await this.load();
    const stored = await store(this.wraps(name, key));
    if (stored !== undefined) return stored;
    await this.load();
    return (await store(this.wraps(name, key))) ?? failed(name);
  }

  private wraps(name: string, key: Uint8Array): Wraps {
    return {
      fingerprints: this.keys.map((master) => fingerprintOf('master', master)),
      wrapped: this.keys.map((master) => wrap(master, name, key)),
    };
  }

  private tryEach(name: string, wrapped: Uint8Array): Buffer | null {
    for (const { key } of this.inUse) {
      const opened = tryUnwrap(key, name, wrapped);
      if (opened !== null) return opened;
    }
    return null;
  }

  private async load(): Promise<void> {
    const states = new KeyStates(this.pool);
    this.keys = await this.readKeys();
    let known = await states.of('master');
    if (known.length === 0) {
      const first = await this.firstKey();
      if (first !== null) await states.begin('master', fingerprintOf('master', first));
      known = await states.of('master');
    }
    this.inUse = known.flatMap(({ fingerprint, state }) => {
      const key = this.keys.find((candidate) => fingerprintOf('master', candidate) === fingerprint);
      return key === undefined || state === 'retired' ? [] : [{ key, state }];
    });
    this.loadedAt = performance.now();
  }

  /** The key of a database that does not name one yet: the key that opens what is there, or the first one when the database is empty. */
  private async firstKey(): Promise<Uint8Array | null> {
    const { rows } = await this.pool.query<{ name: string; wrapped: Buffer }>(
      `(SELECT name, wrapped FROM installation_secrets LIMIT 1)
       UNION ALL (SELECT subject, wrapped FROM subject_keys WHERE wrapped IS NOT NULL LIMIT 1) LIMIT 1`,
    );
    const [sample] = rows;
    if (sample === undefined) return this.keys[0] ?? null;
    return this.keys.find((key) => tryUnwrap(key, sample.name, sample.wrapped) !== null) ?? null;
  }
}

function failed(name: string): never {
  throw new MasterKeyWrong(`the master key cannot decrypt "${name}": set the master key with which this database was created`);
}

/** Null where another key wrapped it. */
export function tryUnwrap(master: Uint8Array, name: string, wrapped: Uint8Array): Buffer | null {
  try {
    return unwrap(master, name, wrapped);
  } catch (error) {
    if (error instanceof MasterKeyWrong) return null;
    throw error;
  }
}
