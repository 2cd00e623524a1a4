import { derivedId } from '../../src/kernel/ids.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import type { Log, LogQuery } from '../../src/platform/log/log.ts';
import type { ExportSource } from '../../src/proof/seal/export/write-export.ts';
import { createSigner, signCheckpoint, type Signer } from '../../src/proof/seal/signer.ts';
import { leafOf } from '../../src/client/proofs/leaf.ts';
import { leafHash } from '../../src/client/proofs/merkle-tree.ts';
import { generationOf, originAt } from '../../src/client/proofs/origin.ts';
import { parseVerifierKey } from '../../src/client/proofs/signed-note.ts';
import { tileKey } from '../../src/client/proofs/tile.ts';
import { TileTree } from '../../src/client/proofs/tile-tree.ts';
import { TileWriter } from '../../src/client/proofs/tile-writer.ts';

export const ORIGIN = 'watchledger.test/ledger';
/** Each origin has a key of its own. */
export const signerOf = (origin: string): Signer => createSigner(origin, Buffer.alloc(32, 42 + (generationOf(ORIGIN, origin) ?? 0)));
export const signer = signerOf(ORIGIN);
export const verifierKey = parseVerifierKey(signer.verifierKey);
/** Of the first origins. */
export const verifierKeys = [0, 1, 2, 3].map((generation) => parseVerifierKey(signerOf(originAt(ORIGIN, generation)).verifierKey));

/** A log of several projects with several streams each, the same for the same count. */
export function sampleEvents(count: number, projects = 3): LogEvent[] {
  const revisions = new Map<string, number>();
  return Array.from({ length: count }, (_, n) => {
    const project = `project-${String((n * 7) % projects)}`;
    const stream = n % 5 < 2 ? project : `verdict-${project}-${String(n % 5)}`;
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    const id = derivedId('sample', n);
    return {
      n,
      id,
      stream,
      revision,
      type: 'CheckFailed',
      version: 1,
      scope: project,
      recordedAt: new Date(1_700_000_000_000 + n).toISOString().replace('Z', '000Z'),
      data: { check: 'Startseite „ä“', failures: [`expected ${String(n)}`], at: n / 7 },
      meta: {
        actor: { kind: 'checker', id: 'eu' },
        correlationId: id,
        causationId: null,
        commandId: derivedId('command', n),
        occurredAt: new Date(1_700_000_000_000 + n).toISOString(),
      },
    };
  });
}

/** An operator's declaration of a loss, as the event at position `n`. */
export const truncated = (
  n: number,
  from: number,
  to: number,
  stated: { readonly checkpoint?: string; readonly lastCheckpoint?: string; readonly origin?: string } = {},
): LogEvent => {
  const [event] = sampleEvents(1);
  if (event === undefined) throw new Error('no sample');
  const data = { from, to, reason: 'restored from the backup of last night', origin: originAt(ORIGIN, 1), ...stated };
  return {
    ...event,
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    n,
    stream: 'system',
    revision: n,
    scope: 'system',
    type: 'LogTruncated',
    data,
  };
};

export const logOf = (events: readonly LogEvent[]): Pick<Log, 'read'> => ({
  read: ({ after, until = Infinity, scope, limit }: LogQuery) =>
    Promise.resolve(
      events.filter(({ n, scope: own }) => n > after && n <= until && (scope === undefined || own === scope)).slice(0, limit),
    ),
});

/** The same of an export as the database counts. */
export const extentsOf =
  (events: readonly LogEvent[]): ExportSource['extents'] =>
  (scope, { after, until }) => {
    const found = events.filter((event) => event.scope === scope && event.n > after && event.n <= until);
    const streams: Record<string, readonly [first: number, last: number]> = {};
    for (const { stream, revision } of found) streams[stream] = [streams[stream]?.[0] ?? revision, revision];
    return Promise.resolve({ count: found.length, streams });
  };

/** A sealed tree with its tiles in memory, signed after a number of losses. */
export function sealed(
  events: readonly LogEvent[],
  generation = 0,
): {
  readonly tiles: Map<string, Buffer>;
  readonly tree: TileTree;
  readonly checkpoint: { readonly note: string; readonly size: number; readonly root: Buffer };
} {
  const writer = new TileWriter();
  for (const event of events) writer.append(leafHash(leafOf(event)));
  const tiles = new Map(writer.takeChanged().map((tile) => [tileKey(tile), tile.bytes]));
  const root = writer.root();
  const origin = originAt(ORIGIN, generation);
  return {
    tiles,
    tree: new TileTree((ids) => Promise.resolve(ids.map((id) => tiles.get(tileKey(id)) ?? Buffer.alloc(0)))),
    checkpoint: { note: signCheckpoint({ origin, size: events.length, root }, [signerOf(origin)]), size: events.length, root },
  };
}
