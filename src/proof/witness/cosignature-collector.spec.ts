import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { createCosigner, createSigner, signCheckpoint } from '../seal/signer.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { parseWitnessKey } from '../../client/proofs/signed-note.ts';
import { CHECKPOINT_SIGNED } from '../seal/sealer/sealer.ts';
import { parseSubmission } from './checkpoint-submission.ts';
import { CosignatureCollector, type SubmissionReply } from './cosignature-collector.ts';
import type { CosignatureStore } from './cosignature-store.ts';

const ORIGIN = 'shop.example/api/ledger';
const cosigner = createCosigner('other.example/api/witness', Buffer.alloc(32, 3));
const root = Buffer.alloc(32, 7);
const note = signCheckpoint({ origin: ORIGIN, size: 1, root }, [createSigner(ORIGIN, Buffer.alloc(32, 1))]);
const checkpoint = { number: 5, generation: 0, size: 1, root, note, signedAt: new Date(0) };
const [text = ''] = note.split('\n\n');
const cosignature = cosigner.cosignatureLine(`${text}\n`, 1_700_000_000);
const answered = (status: number, body = ''): SubmissionReply => ({ kind: 'answered', status, body });

/** What is stored, reported and submitted while the witness answers in this order, its last answer again and again. */
async function collect(replies: readonly (SubmissionReply | 'never')[], isDone: (seen: Seen) => boolean): Promise<Seen> {
  const seen: Seen = { stored: [], reported: [], oldSizes: [] };
  const cosignatures: Pick<CosignatureStore, 'has' | 'sizeKnownTo' | 'add'> = {
    has: () => Promise.resolve(seen.stored.length > 0),
    sizeKnownTo: () => Promise.resolve(0),
    add: (_, __, line) => Promise.resolve(void seen.stored.push(line)),
  };
  const collector = new CosignatureCollector({
    store: { currentCheckpoint: () => Promise.resolve(checkpoint), readTiles: () => Promise.resolve([]) },
    // Cast: the collector uses these three.
    cosignatures: cosignatures as CosignatureStore,
    peers: () => Promise.resolve([{ url: 'https://other.example/w', witnessKey: parseWitnessKey(cosigner.verifierKey), logKeys: [] }]),
    submit: (_, body) => {
      const reply = replies[Math.min(seen.oldSizes.length, replies.length - 1)] ?? 'never';
      seen.oldSizes.push(parseSubmission(body)?.oldSize);
      return reply === 'never' ? new Promise(() => undefined) : Promise.resolve(reply);
    },
    wake: new LocalWake(),
    report: (_, reason) => void seen.reported.push(reason),
    pollMs: 5,
    firstRetryMs: 5,
  });
  const stop = new AbortController();
  const running = collector.run(stop.signal);
  await until(() => Promise.resolve(isDone(seen)), 10_000);
  stop.abort();
  await running;
  return seen;
}
interface Seen {
  readonly stored: string[];
  readonly reported: string[];
  readonly oldSizes: (number | undefined)[];
}

describe('collecting cosignatures', () => {
  it('stores the valid cosignature of the answer, among lines of unknown keys', async () => {
    const other = createCosigner('third.example/w', Buffer.alloc(32, 4)).cosignatureLine(`${text}\n`, 1);
    const seen = await collect([answered(200, other + cosignature)], ({ stored }) => stored.length > 0);
    expect(seen).toEqual({ stored: [cosignature], reported: [], oldSizes: [0] });
  });

  it('begins at the size that the witness names', async () => {
    const seen = await collect([answered(409, '1\n'), answered(200, cosignature)], ({ stored }) => stored.length > 0);
    expect(seen.oldSizes).toEqual([0, 1]);
  });

  it.each([
    ['a larger size than this log has', answered(409, '9\n'), /has cosigned 9 events, this log has signed 1/],
    ['409 without a size', answered(409, 'nine\n'), /409 without a size/],
    ['409 whatever it is sent', answered(409, '1\n'), /another history of the same size \(409\)/],
    [
      'a signature under another key',
      answered(200, createCosigner('other.example/api/witness', Buffer.alloc(32, 9)).cosignatureLine(`${text}\n`, 1)),
      /no valid cosignature/,
    ],
    ['a cosignature of another checkpoint', answered(200, cosigner.cosignatureLine('other\n', 1)), /no valid cosignature/],
    ['text that is no signature', answered(200, '<html>\n'), /no valid cosignature/],
    ['that it does not know this log', answered(404), /does not witness this log \(404\)/],
    ['nothing', { kind: 'failed', reason: 'no answer within 10 s' } as const, /no answer within 10 s/],
  ])('reports once, stores nothing and asks less often when a witness answers %s', async (_, reply, reason) => {
    const seen = await collect([reply], ({ oldSizes }) => oldSizes.length >= 3);
    expect(seen.stored).toEqual([]);
    expect(seen.reported).toEqual([expect.stringMatching(reason)]);
  });

  it('asks each witness by itself: a slow one delays no cosignature of the others, and has one request at a time', async () => {
    const keyOf = (name: string) => createCosigner(`${name}.example/api/witness`, Buffer.alloc(32, 3));
    const asked: string[] = [];
    const stored: string[] = [];
    const collector = new CosignatureCollector({
      // Signed again after each cosignature.
      store: { currentCheckpoint: () => Promise.resolve({ ...checkpoint, number: stored.length }), readTiles: () => Promise.resolve([]) },
      // Cast: the collector uses these three.
      cosignatures: {
        has: () => Promise.resolve(false),
        sizeKnownTo: () => Promise.resolve(0),
        add: (_: number, key: string) => Promise.resolve(void stored.push(key)),
      } as unknown as CosignatureStore,
      peers: () =>
        Promise.resolve(
          ['slow', 'quick'].map((name) => ({ url: name, witnessKey: parseWitnessKey(keyOf(name).verifierKey), logKeys: [] })),
        ),
      submit: (url) => {
        asked.push(url);
        return url === 'slow'
          ? new Promise(() => undefined)
          : setImmediate(answered(200, keyOf(url).cosignatureLine(`${text}\n`, 1_700_000_000)));
      },
      report: () => undefined,
      wake: new LocalWake(),
      pollMs: 5,
    });
    const stop = new AbortController();
    const running = collector.run(stop.signal);
    await until(() => Promise.resolve(stored.length >= 3), 10_000);
    stop.abort();
    await running;
    expect(new Set(stored)).toEqual(new Set([keyOf('quick').verifierKey]));
    expect(asked.filter((url) => url === 'slow')).toHaveLength(1);
  });

  it('asks again at once for what was signed while a witness took its time, and when a checkpoint is signed', async () => {
    let signed = 1;
    const [asked, stored] = [[] as number[], [] as number[]];
    const wake = new LocalWake();
    const collector = new CosignatureCollector({
      store: { currentCheckpoint: () => Promise.resolve({ ...checkpoint, number: signed }), readTiles: () => Promise.resolve([]) },
      // Cast: the collector uses these three.
      cosignatures: {
        has: (number: number) => Promise.resolve(stored.includes(number)),
        sizeKnownTo: () => Promise.resolve(0),
        add: (number: number) => Promise.resolve(void stored.push(number)),
      } as unknown as CosignatureStore,
      peers: () => Promise.resolve([{ url: 'slow', witnessKey: parseWitnessKey(cosigner.verifierKey), logKeys: [] }]),
      submit: async () => {
        asked.push(signed);
        if (signed === 1) signed = 3;
        return setImmediate(answered(200, cosignature));
      },
      report: () => undefined,
      wake,
      pollMs: 3_600_000,
    });
    const stop = new AbortController();
    const running = collector.run(stop.signal);
    await until(() => Promise.resolve(stored.includes(3)), 10_000);
    signed = 4;
    wake.ring(CHECKPOINT_SIGNED);
    await until(() => Promise.resolve(stored.includes(4)), 10_000);
    stop.abort();
    await running;
    expect(asked).toEqual([1, 3, 4]);
  });

  it('ends at once although a witness never answers', async () => {
    const seen = await collect(['never'], ({ oldSizes }) => oldSizes.length > 0);
    expect(seen.oldSizes).toEqual([0]);
  });
});
