import { beforeAll, describe, expect, it } from '@jest/globals';
import { octoberLog, octoberStatement } from '../../../../test/support/statement-world.ts';
import { sealed, signer, verifierKey } from '../../../../test/support/sealed-log.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { noObjective } from '../../../projects/objectives/objective.settings.ts';
import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import { createCosigner, createSigner, type Signer } from '../../seal/signer.ts';
import { parsePolicy, type TrustPolicy } from '../../../client/proofs/policy.ts';
import { parseVerifierKey, type VerifierKey } from '../../../client/proofs/signed-note.ts';
import type { SignedStatement } from '../document.ts';
import type { CliOutput } from '../../../platform/cli/command.ts';
import { verifyStatementText } from './verify-statement-text.ts';

const from = Date.UTC(2026, 9, 20);
const outages = [{ from, to: from + 60_000, state: 'down', reason: 'refused' }] as const;
const log = octoberLog({
  outages,
  objective: { ...noObjective, target: { percent: 99.9, window: 'month' }, credits: [{ below: 99.9, percent: 10 }] },
});
let text: string;
beforeAll(async () => {
  text = await octoberStatement(log);
});

async function verified(
  given: string,
  keys: readonly VerifierKey[] = [verifierKey],
  policy: TrustPolicy | null = null,
): Promise<readonly [status: number, said: string]> {
  let said = '';
  const result: CliOutput['result'] = (_, words) => {
    said = typeof words === 'string' ? words : words();
  };
  return [await verifyStatementText(given, { keys, policy }, { result } as CliOutput), said];
}

const edited = (change: Partial<SignedStatement>): string => `${canonicalJson({ ...(JSON.parse(text) as SignedStatement), ...change })}\n`;

/** As an operator with the key signs it. */
function signedAgain(change: Partial<SignedStatement>, signers: readonly Signer[] = [signer]): string {
  const { signature: _, ...document } = { ...(JSON.parse(text) as SignedStatement), ...change };
  const signature = signers.map((one) => one.signatureLine(`${canonicalJson(document)}\n`)).join('');
  return `${canonicalJson({ ...document, signature })}\n`;
}

describe('watchledger verify STATEMENT', () => {
  it('says equal, with the figures', async () => {
    const [status, said] = await verified(text);
    expect([status, said]).toEqual([0, expect.stringMatching(/^Equal: statement of Shop .+, 2026-10: standard 99.997 %\./)]);
  });

  it('refuses another key, and what only the signature covers', async () => {
    const other = parseVerifierKey(createSigner('watchledger.test/ledger', Buffer.alloc(32, 7)).verifierKey);
    expect(await verified(text, [other])).toEqual([1, 'NOT EQUAL: the checkpoint was not signed by a given key']);
    const { project } = JSON.parse(text) as SignedStatement;
    for (const change of [{ project: { ...project, title: 'Other' } }, { generatedAt: '2026-12-01T00:00:00.000Z' }, { extra: 1 }])
      expect(await verified(edited(change))).toEqual([1, expect.stringContaining('NOT EQUAL: what no event proves')]);
  });

  it('notices a change of every kind of value, and of bytes all over the file', async () => {
    const statement = JSON.parse(text) as SignedStatement;
    const [kinds, step] = [new Map<string, string>(), Math.floor(text.length / thorough(40, 8))];
    for (const [kind, path] of kindsOf(statement)) kinds.set(kind, `${canonicalJson(changedAt(statement, path))}\n`);
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining(['keys.*', 'figures.*.days.*.upMs', 'days.*.intervals.*.*', 'evidence.events.*.leaf']),
    );
    for (let place = 3; place < text.length; place += step) kinds.set(`byte ${String(place)}`, withByte(text, place));
    for (const [kind, changed] of kinds)
      expect([kind, ...(await verified(changed))]).toEqual([kind, 1, expect.stringContaining('NOT EQUAL: ')]);
  });

  it('notices a change of every byte of every signature, also of the key that is not given', async () => {
    const newer = createSigner(signer.name, Buffer.alloc(32, 9));
    const rotating = signedAgain({ keys: [newer.verifierKey, signer.verifierKey] }, [newer, signer]);
    expect(await verified(rotating)).toEqual([0, expect.stringContaining('Equal: ')]);
    const from = rotating.indexOf('"signature":"') + '"signature":"'.length;
    for (let place = from; place < rotating.indexOf('"', from); place += thorough(1, 16))
      expect([place, ...(await verified(withByte(rotating, place)))]).toEqual([place, 1, expect.stringContaining('NOT EQUAL: ')]);
    for (const signers of [[signer], [signer, signer], [newer, signer, createSigner('other.example/log', Buffer.alloc(32, 8))]])
      expect(await verified(signedAgain({ keys: [newer.verifierKey, signer.verifierKey] }, signers))).toEqual([
        1,
        'NOT EQUAL: its signatures are not those of the keys that the statement names',
      ]);
  });

  it('refuses the checkpoint of a fork, also where its operator signs again', async () => {
    const fork = log.map((event) => (event.n === 0 ? { ...event, data: { rewritten: true } } : event));
    const { note, size } = sealed(fork).checkpoint;
    expect(size).toBe(log.length);
    expect(await verified(signedAgain({ checkpoint: note }))).toEqual([
      1,
      expect.stringMatching(/NOT EQUAL: event \d+ .+ is not in the log/),
    ]);
    // A whole statement of the fork is consistent in itself: only those who saw the log before can tell.
    const ofFork = await octoberStatement(fork);
    expect(await verified(ofFork)).toEqual([0, expect.stringContaining('Equal: ')]);
    const witness = createCosigner('witness.example', Buffer.alloc(32, 5));
    const policy = parsePolicy(Buffer.from(`log ${signer.verifierKey}\nwitness w ${witness.verifierKey}\nquorum w\n`));
    expect(await verified(ofFork, [verifierKey], policy)).toEqual([1, expect.stringContaining('cosigned by no witness of the policy')]);
    const { checkpoint } = JSON.parse(text) as SignedStatement;
    const cosigned = checkpoint + witness.cosignatureLine(checkpoint.slice(0, checkpoint.indexOf('\n\n') + 1), 1_700_000_000);
    expect(await verified(signedAgain({ checkpoint: cosigned }), [verifierKey], policy)).toEqual([0, expect.stringContaining('Equal: ')]);
  });
});

type Path = readonly (string | number)[];

/** A place of each kind of value that is neither object nor array, by its path with the numbers of elements left out; without the signature. */
function kindsOf(value: unknown, path: Path = [], found = new Map<string, Path>()): ReadonlyMap<string, Path> {
  if (typeof value !== 'object' || value === null) {
    const kind = path.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
    if (kind !== 'signature') found.set(kind, path);
  } else for (const [name, item] of Object.entries(value)) kindsOf(item, [...path, Array.isArray(value) ? Number(name) : name], found);
  return found;
}

/** A copy with another value there. */
function changedAt(value: unknown, [step, ...rest]: Path): unknown {
  if (step !== undefined) {
    const copy = structuredClone(value) as Record<string | number, unknown>;
    return Object.assign(copy, { [step]: changedAt(copy[step], rest) });
  }
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? withByte(value, Math.floor(value.length / 2)) : value !== true;
}

const withByte = (given: string, place: number): string =>
  `${given.slice(0, place)}${given[place] === 'x' ? 'y' : 'x'}${given.slice(place + 1)}`;
