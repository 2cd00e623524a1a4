import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evidenceFile, type EvidenceWorldOptions, judgeHere } from '../../../test/support/evidence-world.ts';
import { sealed, sampleEvents, verifierKey } from '../../../test/support/sealed-log.ts';
import { type EvidenceFile, formatEvidenceFile } from '../../checker/evidence/evidence-file.ts';
import { formatVerifierKey, parseVerifierKey } from '../../client/proofs/signed-note.ts';
import { textOf, UnreadableFile } from './verify-file.ts';
import { verifyEvidence } from './verify-evidence.ts';

const world: EvidenceWorldOptions = {
  page: '<!doctype html>\n<title>Größe</title>\n<p>You \ufffd sent tok-4711-secret',
  rules: [
    { type: 'text', op: 'sub', val: 'Welcome' },
    { type: 'title', op: 'sub', val: 'Größe' },
  ],
};
const file = await evidenceFile(world);
const edited = (given: object): string => formatEvidenceFile({ ...(JSON.parse(file) as EvidenceFile), ...given });

/** As the command reads and judges it: what it says, or `follows`. */
async function verdict(bytes: string | Uint8Array, key = verifierKey): Promise<string> {
  async function* chunks() {
    yield await Promise.resolve(Buffer.from(bytes));
  }
  try {
    const found = await verifyEvidence(await textOf(chunks()), [key], judgeHere);
    return found.kind === 'follows' ? ['follows', ...found.notes].join(': ') : found.reason;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
}

describe('an evidence file', () => {
  it('follows as it was written', async () => {
    expect(await verdict(file)).toBe('follows');
  });

  it('is refuted once any byte of it is another', async () => {
    const bytes = Buffer.from(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        const said = await verdict(changed);
        expect(said).not.toMatch(/^follows|[\n\r]/);
        expect(said.length).toBeGreaterThan(10);
      }),
      { numRuns: 300 },
    );
    // The first byte of a replacement character as that of a longer sequence, which decodes to one as well.
    const at = bytes.indexOf(Buffer.from('\ufffd'));
    expect(at).toBeGreaterThan(0);
    const changed = Buffer.from(bytes);
    changed[at] = 0xf0;
    expect(await verdict(changed)).toBe('the file is not valid UTF-8');
  });

  it('is refuted where a part of it is cut off, repeated or put in front', async () => {
    for (const end of [1, 10, 40, file.length - 1]) expect(await verdict(file.slice(0, end))).not.toMatch(/^follows/);
    for (const text of [`${file}\n`, file + file, ` ${file}`, `\ufeff${file}`]) expect(await verdict(text)).not.toMatch(/^follows/);
  });

  it('is refuted with the proof of another event, of another log and of a fork', async () => {
    const { proof } = JSON.parse(file) as EvidenceFile;
    const other = JSON.parse(await evidenceFile({ ...world, page: 'Other' })) as EvidenceFile;
    expect(await verdict(edited({ proof: other.proof }))).toMatch(/^the exchange was changed/);
    expect(await verdict(edited({ project: 'b'.repeat(24) }))).toMatch(/not of the project/);
    const elsewhere = parseVerifierKey(formatVerifierKey('other.example', Buffer.alloc(32, 7)));
    expect(await verdict(file, elsewhere)).toBe('the checkpoint is not signed by a given key');
    // The same key signed a log in which this event is another.
    const fork = `${proof.slice(0, proof.indexOf('\n\n') + 2)}${sealed(sampleEvents(7)).checkpoint.note}`;
    expect(await verdict(edited({ proof: fork }))).toBe('event 5 is not in the log in this form');
    const longer = JSON.parse(await evidenceFile({ ...world, later: 3 })) as EvidenceFile;
    const swapped = `${proof.slice(0, proof.indexOf('\n\n') + 2)}${longer.proof.slice(longer.proof.indexOf('\n\n') + 2)}`;
    expect(await verdict(edited({ proof: swapped }))).toBe('event 5 is not in the log in this form');
  });

  it.each<[string, object]>([
    ['page', { page: 7 }],
    ['page', { page: ['a'] }],
    ['proof', { proof: null }],
    ['proof', { proof: {} }],
    ['project', { project: {} }],
    ['exchange', { exchange: null }],
    ['exchange', { exchange: [] }],
    ['bytes', { bytes: [1, 2] }],
    ['bytes', { bytes: [{ from: '0', to: 1, line: 1 }] }],
  ])('is refuted where its %s is of another type: %j', async (_, given) => {
    expect(await verdict(edited(given))).toBe('a member of the file is of another type than that of evidence');
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x00]), /^the file is not valid UTF-8$/],
    ['no JSON', '{"bytes":[\u001b[31m', /^the file is not valid JSON$/],
    ['other members', '{"bytes":[]}', /^the file has other members/],
    ['no object', '[]', /^the file has other members/],
    ['a value nested deeply', `{"bytes":[],"exchange":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`, /^the file /],
  ])('is refuted where it is %s', async (_, bytes, reason) => {
    expect(await verdict(bytes)).toMatch(reason);
  });

  it('is refuted in words where a signer sealed an exchange, or an event, of another form', async () => {
    const odd = 'the event or its exchange has another form than this version knows';
    for (const exchange of [
      (found: object) => ({ ...found, answer: { ...(found as { answer: object }).answer, headers: 7 } }),
      (found: object) => ({ ...found, judged: { rules: null, failures: [] } }),
      (found: object) => ({ ...found, judged: { rules: [{ type: 'no-such', op: 'eq', val: '' }], failures: [null] } }),
    ])
      expect([odd, 'there are not as many byte ranges as rules']).toContain(await verdict(await evidenceFile({ ...world, exchange })));
    expect(await verdict(await evidenceFile({ ...world, exchange: (found) => ({ ...found, kind: 'a\nb\u001b[31m' }) }))).not.toMatch(
      /\p{Cc}|^follows/u,
    );
    const event = (found: { data: object }) => ({ ...found, data: { ...found.data, failing: 7 } }) as never;
    expect(await verdict(await evidenceFile({ ...world, event }))).not.toMatch(/^follows/);
  });

  it('is read up to a limit', async () => {
    async function* endless() {
      for (;;) yield await Promise.resolve(Buffer.alloc(1024, 0x20));
    }
    await expect(textOf(endless(), 1024 * 1024)).rejects.toThrow('the file is larger than 1 MiB');
  });
});

describe('a sentence with hidden parts', () => {
  const masked = (found: string): string => found.replace('tok-4711-secret', '********');

  it('follows where the rest of it does, and is named', async () => {
    expect(await verdict(await evidenceFile({ ...world, sentence: masked }))).toBe(
      'follows: the hidden parts of 1 sentence were not compared',
    );
  });

  it.each([
    ['another word', (found: string) => masked(found).replace('You', 'We')],
    ['another mask', (found: string) => masked(found).replace('You', '********You')],
    ['no word', (found: string) => found.replace('tok-4711-secret', '')],
  ])('is refuted with %s', async (_, sentence) => {
    expect(await verdict(await evidenceFile({ ...world, sentence }))).toMatch(/^rule 1 .* gives another result/);
  });
});
