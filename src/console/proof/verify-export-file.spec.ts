import { beforeAll, describe, expect, it } from '@jest/globals';
import { extentsOf, logOf, sampleEvents, sealed, signer, verifierKey } from '../../../test/support/sealed-log.ts';
import { writeExport } from '../../proof/seal/export/write-export.ts';
import { verifyExport } from '../../client/proofs/verify-export.ts';
import { verifyExportText } from './verify-file.ts';

const EVENTS = sampleEvents(300);
const span = { from: null, to: null, after: 9, until: 250 };
let lines: readonly string[];
beforeAll(async () => {
  let text = '';
  const source = { log: logOf(EVENTS), extents: extentsOf(EVENTS), signers: [signer], ...sealed(EVENTS) };
  for await (const chunk of writeExport(source, { project: '1', scope: 'project-1', span })) text += chunk;
  lines = text.split('\n').slice(0, -1);
});

const fileOf = (changed: readonly string[]): string => changed.map((line) => `${line}\n`).join('');
const inBrowser = async (text: string, keys = [verifierKey.text]): Promise<string> =>
  (await verifyExportText(text, keys, () => undefined)).kind;
const byProgram = async (text: string): Promise<string> => {
  const chunks = (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
  return (await verifyExport(chunks, [verifierKey])).kind === 'intact' ? 'holds' : 'differs';
};

describe('an export in the browser', () => {
  it('holds as written', async () => {
    expect(await verifyExportText(fileOf(lines), [verifierKey.text], () => undefined)).toMatchObject({
      kind: 'holds',
      keys: [verifierKey.text],
    });
  });

  it.each<[string, (all: readonly string[]) => readonly string[]]>([
    ['as written', (all) => all],
    ['with a changed event', (all) => all.map((line, at) => (at === 5 ? line.replace(/recordedAt\\":\\"2/, 'recordedAt\\":\\"3') : line))],
    ['without an event', (all) => all.filter((_, at) => at !== 7)],
    ['without its last event', (all) => all.slice(0, -1)],
    ['with an event twice', (all) => [...all.slice(0, 4), ...all.slice(3)]],
    ['with two events swapped', (all) => [...all.slice(0, 3), all[4] ?? '', all[3] ?? '', ...all.slice(5)]],
    ['with another head', (all) => [(all[0] ?? '').replace('"count":', '"count":1'), ...all.slice(1)]],
    ['without its head', (all) => all.slice(1)],
    ['with a line behind its end', (all) => [...all, 'more']],
    ['empty', () => []],
  ])('is judged as by watchledger verify: %s', async (name, change) => {
    const text = fileOf(change(lines));
    expect(await inBrowser(text)).toBe(await byProgram(text));
    expect(await inBrowser(text)).toBe(name === 'as written' ? 'holds' : 'differs');
  });

  it('does not hold where its end was cut off within a line, or where no given key signed it', async () => {
    expect(await inBrowser(fileOf(lines).slice(0, -10))).toBe('differs');
    expect(await inBrowser(fileOf(lines), [])).toBe('differs');
  });
});
