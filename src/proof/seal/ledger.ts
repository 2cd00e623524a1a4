import type pg from 'pg';
import { readLogRows } from '../../platform/event-store/log-rows.ts';
import { type Coalesced, coalesced } from '../../kernel/cached.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { justBefore } from '../../kernel/instants.ts';
import { extentsIn, writeExport, type ExportRequest } from './export/write-export.ts';
import type { SealKeys } from './keys/seal-keys.ts';
import type { Signer } from './signer.ts';
import { CHECKPOINT_SIGNED, CHECKPOINT_WANTED } from './sealer/sealer.ts';
import type { LedgerStore } from './store/ledger-store.ts';
import { entryBundle, type TileRequest } from './tiles/tile-path.ts';
import { CosignatureStore } from '../witness/cosignature-store.ts';
import { HASH_BYTES, hashToText } from '../../client/proofs/merkle-tree.ts';
import { leafOf } from '../../client/proofs/leaf.ts';
import { originAt } from '../../client/proofs/origin.ts';
import { TILE_WIDTH } from '../../client/proofs/tile.ts';
import { TileTree } from '../../client/proofs/tile-tree.ts';

/** Sealing usually lags by less than a second, and a waiting reader makes a checkpoint due: a longer lag is a fault. */
export class NotSealedYet extends DomainError {
  readonly code = 'NOT_SEALED_YET';

  constructor(override readonly retryAfter: number) {
    super(`This is not sealed yet. Please try again in ${String(retryAfter)} seconds.`);
  }
}

/** A checkpoint that covers what it proves. */
export interface CoveringCheckpoint {
  readonly note: string;
  readonly size: number;
  /** Every witness that was agreed has cosigned it; true without witnesses. */
  readonly isCosigned: boolean;
}

/** `signed`: answers with the newest checkpoint rather than wait for witnesses. */
export type AwaitedCheckpoint = 'signed' | 'cosigned';

export interface Proof {
  readonly index: number;
  readonly size: number;
  readonly leaf: string;
  readonly path: readonly string[];
  readonly checkpoint: string;
}

export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly roots: readonly string[];
  readonly path: readonly string[];
  readonly checkpoint: string;
}

/** The log under one of its origins. */
export interface LogOrigin {
  readonly origin: string;
  readonly keys: readonly string[];
  /** The newest one, a signed note. */
  readonly checkpoint: string;
  /** A signed note that says why it ended and which one follows (verify/origin-end.ts); null: it signs. */
  readonly end: string | null;
}

export interface LedgerOptions {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly log: Pick<Log, 'read' | 'head' | 'at'>;
  readonly keys: SealKeys;
  /** The first origin of the log. */
  readonly origin: string;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  /** The keys of the witnesses that were agreed. */
  readonly witnessKeys: () => Promise<readonly string[]>;
  /** How long to wait for a checkpoint that covers the latest events, and for its cosignatures. */
  readonly sealTimeoutMs?: number;
}

/** A checkpoint within a second, then a witness that takes a second and a half, and may still be at the one before. */
const TIMEOUT_MS = 4_500;
/** For a ring that was lost. */
const POLL_MS = 250;
/** Agreements change rarely. */
const WITNESSES_MS = 1_000;
/** An operator has to end the cause of a seal that is stopped. */
const STOPPED_S = 60;
/** What a sealer that has fallen behind adds to the tree. */
const EVENTS_A_SECOND = 5_000;
/** A key that was disowned or retired signs no receipt after this time. */
const KEYS_MS = 1_000;

/** Read side of the seal: a Merkle tree over the log with signed checkpoints, inclusion and consistency proofs, and exports. */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #tree: TileTree;
  readonly #cosignatures: CosignatureStore;
  readonly #witnessKeys: Coalesced<readonly string[]>;
  /** The same as `signers`, read at most once a second. */
  readonly receiptSigners: Coalesced<readonly Signer[]>;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#tree = new TileTree(options.store.readTiles, 0);
    this.#cosignatures = new CosignatureStore(options.pool);
    this.#witnessKeys = coalesced(options.witnessKeys, WITNESSES_MS);
    this.receiptSigners = coalesced(() => options.keys.signers(), KEYS_MS);
  }

  async checkpoint(): Promise<string | null> {
    const current = await this.#options.store.currentCheckpoint();
    return current === null ? null : this.#cosignatures.cosigned(current);
  }

  /** Number of the origin that signs, from 1. */
  async originNumber(): Promise<number> {
    return ((await this.#options.store.state())?.generation ?? 0) + 1;
  }

  /** The newest first: after a declared loss the log continues under another one. */
  async origins(): Promise<readonly LogOrigin[]> {
    const { store, keys, origin: first } = this.#options;
    const [stored, listed] = await Promise.all([store.origins(), keys.trusted()]);
    return stored.map(({ generation, checkpoint, end }) => {
      const origin = originAt(first, generation);
      return { origin, keys: listed.filter(({ name }) => name === origin).map(({ text }) => text), checkpoint, end };
    });
  }

  /** Newest first, including retired keys, which old checkpoints need, without disowned ones. */
  async verifierKeys(): Promise<readonly string[]> {
    return (await this.#options.keys.trusted()).map(({ text }) => text);
  }

  /** Null when the sealed tile is narrower than requested. */
  async tile(request: TileRequest): Promise<Buffer | null> {
    const tile = request.kind === 'hashes' ? request.tile : { level: 0, index: request.index };
    const [bytes = Buffer.alloc(0)] = await this.#options.store.readTiles([tile]);
    if (bytes.length < request.width * HASH_BYTES) return null;
    if (request.kind === 'hashes') return bytes.subarray(0, request.width * HASH_BYTES);
    const events = await this.#options.log.read({ after: request.index * TILE_WIDTH - 1, limit: request.width });
    return entryBundle(events.map(leafOf));
  }

  /** Inclusion proof of an event; null when the scope has no such event. Throws `NotSealedYet`. */
  async proof(scope: string, eventId: string, awaited: AwaitedCheckpoint = 'cosigned', signal?: AbortSignal): Promise<Proof | null> {
    const event = await this.#event(scope, eventId);
    if (event === null) return null;
    const { note, size } = await this.covering(event.n, awaited, signal);
    const path = await this.#tree.inclusion(event.n, size);
    return { index: event.n, size, leaf: leafOf(event), path: path.map(hashToText), checkpoint: note };
  }

  /** Inclusion paths of events of the log in the tree of one checkpoint, which covers them all. Throws `NotSealedYet`. */
  async prove(
    positions: readonly number[],
    checkpoint?: CoveringCheckpoint,
  ): Promise<{ readonly checkpoint: string; readonly paths: readonly (readonly string[])[] }> {
    const { note, size } =
      checkpoint ??
      (await this.covering(
        positions.reduce((last, n) => Math.max(last, n), 0),
        'signed',
      ));
    const paths = await new TileTree(this.#options.store.readTiles).inclusions(positions, size);
    return { checkpoint: note, paths: paths.map((path) => path.map(hashToText)) };
  }

  /** Every active key, the newest first. */
  signers(): Promise<readonly Signer[]> {
    return this.#options.keys.signers();
  }

  /** The log of `to` events extends the log of `from`; null where fewer are sealed. */
  async consistency(from: number, to: number): Promise<ConsistencyProof | null> {
    const latest = await this.#options.store.currentCheckpoint();
    if (latest === null || latest.size < to) return null;
    const tree = this.#tree;
    const [first, second, path] = await Promise.all([tree.root(from), tree.root(to), tree.consistency(from, to)]);
    return {
      from,
      to,
      roots: [hashToText(first), hashToText(second)],
      path: path.map(hashToText),
      checkpoint: await this.#cosignatures.cosigned(latest),
    };
  }

  /** All events of a scope between two instants (ISO 8601, null: open), in chunks of whole lines. Throws `NotSealedYet` before the first chunk. */
  async export(
    project: string,
    scope: string,
    { from, to }: { readonly from: string | null; readonly to: string | null },
    signal?: AbortSignal,
  ): Promise<AsyncGenerator<string>> {
    const { pool, log, keys, store } = this.#options;
    const after = from === null ? -1 : await log.at(justBefore(from));
    const until = to === null ? await log.head() : await log.at(to);
    const checkpoint = await this.covering(until, 'cosigned', signal);
    const request: ExportRequest = { project, scope, span: { from, to, after, until: Math.max(after, until) } };
    const source = { log, checkpoint, signers: await keys.signers(), tree: new TileTree(store.readTiles) };
    return writeExport({ ...source, extents: extentsIn(pool) }, request);
  }

  async #event(scope: string, id: string): Promise<LogEvent | null> {
    const rows = 'SELECT * FROM log WHERE id = $1 AND scope = $2';
    const [event] = await readLogRows(this.#options.pool, { name: 'ledger_event', rows, values: [id, scope] });
    return event ?? null;
  }

  /**
   * The newest checkpoint over event `n` that the agreed witnesses cosigned, else the newest. It makes one due where none covers the event, and waits for
   * witnesses that keep up with the log. Throws `NotSealedYet`.
   */
  async covering(n: number, awaited: AwaitedCheckpoint, signal?: AbortSignal): Promise<CoveringCheckpoint> {
    const { wake, sealTimeoutMs = TIMEOUT_MS } = this.#options;
    const end = performance.now() + sealTimeoutMs;
    const bell = wake.bell(CHECKPOINT_SIGNED);
    try {
      for (;;) {
        const witnesses = await this.#witnessKeys();
        const found = await this.#cosignatures.covering(n, witnesses);
        const isLate = signal?.aborted === true || performance.now() >= end;
        if (found !== null && (isLate || awaited === 'signed' || found.cosigners >= found.awaited))
          return { note: found.note, size: found.size, isCosigned: found.cosigners === witnesses.length };
        if (isLate) throw new NotSealedYet(await this.#secondsToSeal(n));
        if (found === null) wake.ring(CHECKPOINT_WANTED);
        await bell.wait(POLL_MS, signal);
      }
    } finally {
      bell.close();
    }
  }

  async #secondsToSeal(n: number): Promise<number> {
    const { size = 0, stopped = null } = (await this.#options.store.state()) ?? {};
    return stopped === null ? Math.min(STOPPED_S, 2 + Math.ceil(Math.max(0, n + 1 - size) / EVENTS_A_SECOND)) : STOPPED_S;
  }
}
