import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { extentsOf, logOf, ORIGIN, sampleEvents, sealed, signer, verifierKey } from '../../../../test/support/sealed-log.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { createSigner, signCheckpoint } from '../signer.ts';
import { exportLine, textToSign, type SignedExportHead } from '../../../client/proofs/export-format.ts';
import type { Finding } from '../../../client/proofs/finding.ts';
import { leafHash } from '../../../client/proofs/merkle-tree.ts';
import { parseVerifierKey, type VerifierKey } from '../../../client/proofs/signed-note.ts';
import { verifyExport, type ExportVerdict } from '../../../client/proofs/verify-export.ts';
import { writeExport, type ExportSource } from './write-export.ts';

const EVENTS = sampleEvents(1500);
const SCOPE = 'project-1';
const span = { from: null, to: null, after: 99, until: 1250 };
const events = EVENTS.filter(({ n, scope }) => scope === SCOPE && n > span.after && n <= span.until);
const source: ExportSource = { log: logOf(EVENTS), extents: extentsOf(EVENTS), signers: [signer], ...sealed(EVENTS) };

async function exportLines(from: ExportSource = source, over = span): Promise<string[]> {
  let text = '';
  for await (const chunk of writeExport(from, { project: '1', scope: SCOPE, span: over })) text += chunk;
  return text.split('\n').slice(0, -1);
}

/** In chunks that fall anywhere, also in the middle of a character. */
async function* chunksOf(text: string, size = 1013): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const verify = (lines: readonly string[], keys: readonly VerifierKey[] = [verifierKey]): Promise<ExportVerdict> =>
  verifyExport(chunksOf(lines.map((line) => `${line}\n`).join('')), keys);

async function findingIn(lines: readonly string[], keys?: readonly VerifierKey[]): Promise<Finding | null> {
  const verdict = await verify(lines, keys);
  return verdict.kind === 'tampered' ? verdict.finding : null;
}

const eventAt = (position: number): (typeof events)[number] => {
  const event = events[position];
  if (event === undefined) throw new RangeError(String(position));
  return event;
};

let lines: readonly string[];
beforeAll(async () => {
  lines = await exportLines();
});

/** The line of the n-th event; line 0 is the head. */
const lineOf = (position: number): string => lines[position + 1] ?? '';
const place = fc.integer({ min: 0, max: events.length - 1 });

describe('an export', () => {
  it('is intact as written', async () => {
    expect(lines).toHaveLength(events.length + 1);
    expect(await verify(lines)).toMatchObject({ kind: 'intact', head: { count: events.length, project: '1' }, checkpoint: { size: 1500 } });
  });

  it('is intact without events in its span', async () => {
    expect(await verify(await exportLines(source, { ...span, after: 1250 }))).toMatchObject({ kind: 'intact', head: { count: 0 } });
  });

  it('verifies with either key during a rotation, and not with an unrelated key', async () => {
    const young = createSigner(ORIGIN, Buffer.alloc(32, 43));
    const signers = [young, signer];
    const note = signCheckpoint({ origin: ORIGIN, ...source.checkpoint, root: sealed(EVENTS).checkpoint.root }, signers);
    const both = await exportLines({ ...source, signers, checkpoint: { ...source.checkpoint, note } });
    expect(await verify(both)).toMatchObject({ kind: 'intact' });
    expect(await verify(both, [parseVerifierKey(young.verifierKey)])).toMatchObject({ kind: 'intact' });
    expect(await findingIn(lines, [parseVerifierKey(young.verifierKey)])).toMatchObject({ kind: 'head', line: 1 });
  });
});

describe('writing an export', () => {
  const counted = (): { readonly source: ExportSource; reads: number } => {
    const reads = { reads: 0, source };
    const read: ExportSource['log']['read'] = (query) => {
      reads.reads++;
      return source.log.read(query);
    };
    return Object.assign(reads, { source: { ...source, log: { read } } });
  };

  it('reads no event before the first byte, and a page for each chunk after it', async () => {
    const log = counted();
    const chunks = writeExport(log.source, { project: '1', scope: SCOPE, span });
    expect([(await chunks.next()).done, log.reads]).toEqual([false, 0]);
    const { value = '' } = (await chunks.next()) as { value?: string };
    expect([value.split('\n').length, log.reads]).toEqual([65, 1]);
  });

  it('reads no further page once its reader has left', async () => {
    const log = counted();
    const file = Readable.from(writeExport(log.source, { project: '1', scope: SCOPE, span }), { objectMode: false, highWaterMark: 1 });
    await once(file, 'readable');
    file.destroy();
    await once(file, 'close');
    const { reads } = log;
    await setImmediate();
    expect([reads <= 1, log.reads]).toEqual([true, reads]);
  });
});

describe('tampering with an export', () => {
  it('detects any changed byte', async () => {
    const text = Buffer.from(lines.slice(0, 40).join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(text);
        changed[at] = (changed[at] ?? 0) ^ flip;
        const rest = Buffer.from(`\n${lines.slice(40).join('\n')}\n`);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          yield await Promise.resolve(Buffer.concat([changed, rest]));
        }
        const verdict = await verifyExport(chunks(), [verifierKey]);
        const line = text.subarray(0, at).filter((byte) => byte === 10).length + 1;
        // A line feed too many or too few spoils the line behind it as well.
        expect(verdict.kind).toBe('tampered');
        if (verdict.kind === 'tampered') expect([line, line + 1]).toContain(verdict.finding.line ?? line);
      }),
      { numRuns: thorough(60, 12) },
    );
  });

  it('detects a repeated member, whichever of the two a reader takes', async () => {
    const row = lineOf(10);
    const forged = row.replace('"leaf":', '"leaf":"forged","leaf":');
    expect(JSON.parse(forged)).toEqual(JSON.parse(row));
    expect(await findingIn(lines.with(11, forged))).toMatchObject({ kind: 'changed', line: 12 });
    const head = (lines[0] ?? '').replace('{', '{"count":0,');
    expect(JSON.parse(head)).toEqual(JSON.parse(lines[0] ?? ''));
    expect(await findingIn(lines.with(0, head))).toMatchObject({ kind: 'head', line: 1 });
  });

  it.each([
    ['white space', (line: string) => `${line} `],
    ['a carriage return', (line: string) => `${line}\r`],
    [
      'another order of members',
      (line: string) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse())),
    ],
    ['an escape', (line: string) => line.replace('project', '\\u0070roject')],
  ])('detects %s that leaves every value as it was', async (_, change) => {
    for (const at of [0, 7]) {
      const changed = change(lines[at] ?? '');
      expect(JSON.parse(changed)).toEqual(JSON.parse(lines[at] ?? ''));
      expect(await findingIn(lines.with(at, changed))).toMatchObject({ line: at + 1 });
    }
  });

  it('detects text behind the last event, with and without a line feed', async () => {
    const text = lines.map((line) => `${line}\n`).join('');
    for (const tail of ['All of this was confirmed by the auditor.', 'confirmed\n', '\n', ' ', lineOf(1)]) {
      const verdict = await verifyExport(chunksOf(`${text}${tail}`), [verifierKey]);
      expect(verdict).toMatchObject({ kind: 'tampered', finding: { kind: 'inserted', line: lines.length + 1 } });
    }
  });

  it('detects text among the signatures of the head', async () => {
    const head = JSON.parse(lines[0] ?? '') as SignedExportHead;
    const invented = `— confirmed-by-the-auditor ${Buffer.alloc(68).toString('base64')}\n`;
    const changed = exportLine({ ...head, signature: `${head.signature}${invented}` });
    expect(await findingIn(lines.with(0, changed))).toMatchObject({ kind: 'head', line: 1 });
  });

  it('names a changed event', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (position) => {
        const { n, id } = eventAt(position);
        const row = JSON.parse(lineOf(position)) as { leaf: string };
        const changed = JSON.stringify({ ...row, leaf: row.leaf.replace('expected', 'Expected') });
        expect(await findingIn(lines.with(position + 1, changed))).toMatchObject({
          kind: 'changed',
          index: n,
          event: id,
          line: position + 2,
        });
      }),
      { numRuns: 10 },
    );
  });

  it('names a removed event', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (position) => {
        const { stream, revision } = eventAt(position);
        expect(await findingIn(lines.toSpliced(position + 1, 1))).toMatchObject({ kind: 'removed', stream, revision });
      }),
      { numRuns: 10 },
    );
  });

  it('names an event that was copied, or that belongs to another export', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        const [first, second] = [Math.min(from, to), Math.max(from, to)];
        const copied = lines.toSpliced(second + 2, 0, lineOf(first));
        expect(await findingIn(copied)).toMatchObject({ kind: 'inserted', index: eventAt(first).n, line: second + 3 });
      }),
      { numRuns: 10 },
    );
    const other = (await exportLines(source, { ...span, until: 1300 })).at(-1) ?? '';
    expect(await findingIn([...lines, other])).toMatchObject({ kind: 'inserted', line: lines.length + 1 });
  });

  it('names an invented event', async () => {
    const row = JSON.parse(lineOf(10)) as { leaf: string };
    const invented = JSON.stringify({ ...row, leaf: row.leaf.replace('expected', 'invented') });
    expect(await findingIn(lines.toSpliced(12, 0, invented))).toMatchObject({ kind: 'inserted', line: 13 });
  });

  it('names the first of two swapped events', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        fc.pre(a !== b);
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const finding = await findingIn(lines.with(first + 1, lineOf(second)).with(second + 1, lineOf(first)));
        expect(finding?.kind).toBe('moved');
        expect(finding?.index).toBeLessThanOrEqual(eventAt(second).n);
      }),
      { numRuns: 10 },
    );
  });

  it('detects a file truncated anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: lines.slice(1).join('\n').length - 1 }), async (length) => {
        const text = `${lines[0] ?? ''}\n${lines.slice(1).join('\n').slice(0, length)}`;
        expect(await verifyExport(chunksOf(text), [verifierKey])).toMatchObject({ kind: 'tampered', finding: { kind: 'removed' } });
      }),
      { numRuns: 10 },
    );
    expect(await findingIn([])).toMatchObject({ kind: 'head' });
  });

  it('detects a missing stream', async () => {
    const stream = 'verdict-project-1-3';
    expect(await findingIn(lines.filter((line) => !line.includes(`\\"stream\\":\\"${stream}\\"`)))).toMatchObject({
      kind: 'removed',
      stream,
    });
  });

  it('detects a forged head, also one signed by another key', async () => {
    const head = JSON.parse(lines[0] ?? '') as SignedExportHead;
    const { 'verdict-project-1-3': left, ...streams } = head.streams;
    expect(left).toBeDefined();
    const fitted = { ...head, streams };
    expect(await findingIn(lines.with(0, exportLine(fitted)))).toMatchObject({ kind: 'head' });
    const { signature: _, ...unsigned } = fitted;
    const stranger = createSigner(ORIGIN, Buffer.alloc(32, 9));
    const resigned = { ...unsigned, signature: stranger.signatureLine(textToSign(unsigned)) };
    expect(await findingIn(lines.with(0, exportLine(resigned)))).toMatchObject({ kind: 'head' });
  });

  it('detects a forked log under a genuine checkpoint', async () => {
    const forked = EVENTS.map((event) => (event.n === 601 ? { ...event, data: { check: 'nothing happened' } } : event));
    const honest = { ...sealed(forked), log: logOf(forked), extents: extentsOf(forked), signers: [signer], checkpoint: source.checkpoint };
    expect(await findingIn(await exportLines(honest))).toMatchObject({ kind: 'changed' });
  });

  it('detects a checkpoint that covers less than the file', async () => {
    const short = sealed(EVENTS.slice(0, 1000)).checkpoint;
    const root = leafHash('anything');
    for (const checkpoint of [short, { size: 1000, note: signCheckpoint({ origin: ORIGIN, size: 1000, root }, [signer]) }]) {
      const { signature: _, ...head } = JSON.parse(lines[0] ?? '') as SignedExportHead;
      const changed = { ...head, checkpoint: checkpoint.note };
      const signed = exportLine({ ...changed, signature: signer.signatureLine(textToSign(changed)) });
      expect(await findingIn(lines.with(0, signed))).toMatchObject({ kind: 'head' });
    }
  });
});
