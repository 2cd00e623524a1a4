import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { recomputeAnswer, type RecomputedAnswer, type StatedRequest } from './recompute-answer.ts';
import type { Resources } from '../resources.ts';
import type { Config } from '../../platform/config/config.ts';
import { programVersion } from '../../platform/config/program.ts';
import { answersAsOfPath } from '../../platform/http/as-of/as-of-routes.ts';
import { isUrl } from '../../kernel/url.ts';
import type { Receipt } from '../../client/proofs/receipt/verify-receipt.ts';
import type { CliOutput } from '../../platform/cli/command.ts';
import { describedReceipt, inWords } from '../../proof/command-line/verify-receipt-text.ts';

const MOST = 10;
const LONGEST = 120;

/** The differences of two answers, in words: by members where both are JSON, else by the first character. */
export function answerDifferences(signed: string, computed: string): readonly string[] {
  const [one, other] = [parsed(signed), parsed(computed)];
  const found = one === undefined || other === undefined ? [] : memberDifferences('', one, other);
  if (found.length > 0) return [...found.slice(0, MOST), ...(found.length > MOST ? [`and ${String(found.length - MOST)} more`] : [])];
  let at = 0;
  while (at < signed.length && signed[at] === computed[at]) at++;
  return [`character ${String(at)}: signed ${said(signed.slice(at))}, computed ${said(computed.slice(at))}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberDifferences(path: string, signed: unknown, computed: unknown): readonly string[] {
  if (Object.is(signed, computed)) return [];
  if (isMembers(signed) && isMembers(computed) && Array.isArray(signed) === Array.isArray(computed)) {
    const names = [...new Set([...Object.keys(signed), ...Object.keys(computed)])];
    return names.flatMap((name) => memberDifferences(path === '' ? name : `${path}.${name}`, signed[name], computed[name]));
  }
  return [`${path === '' ? 'the answer' : path}: signed ${said(signed)}, computed ${said(computed)}`];
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const UNAVAILABLE = 503;
const TRIES = 5;
const RETRY_MS = 1_000;

type Outcome =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly differences: readonly string[] }
  | { readonly kind: 'impossible'; readonly reason: string };

/** Whether the answer follows from the log: the same GET, by the same account, as of the same position. 0 if it is equal. */
export async function recomputeReceipt(config: Config, resources: Resources, receipt: Receipt, output: CliOutput): Promise<number> {
  const disowned = await resources.seal.keys.disowned();
  const isWorthless = receipt.signers.every(({ text }) => disowned.has(text));
  const outcome = await outcomeOf(config, resources, receipt);
  const notes = outcome.kind === 'different' ? await reasonsOf(resources.pool, receipt) : notesOf(receipt, outcome);
  output.result(
    { signed: !isWorthless, recomputed: outcome.kind, ...outcome, ...describedReceipt(receipt), notes },
    [
      isWorthless
        ? `NOT INTACT: signed only by a key that was disowned, whose holder could sign any answer with any date: ${receipt.signers.map(({ text }) => text).join(', ')}`
        : `Signed: this is the answer to ${inWords(receipt)}.`,
      ...wordsOf(outcome, receipt),
      ...notes,
    ].join('\n'),
  );
  return outcome.kind === 'equal' && !isWorthless ? 0 : 1;
}

async function outcomeOf(config: Config, resources: Resources, receipt: Receipt): Promise<Outcome> {
  const { position, statement, file } = receipt;
  const { rightsAsOf, account, at } = statement;
  const head = await resources.log.head();
  if (Math.max(position, rightsAsOf) > head)
    return {
      kind: 'impossible',
      reason: `the receipt stands on position ${String(Math.max(position, rightsAsOf))}, and the log ends with ${String(head)}`,
    };
  const target = targetOf(file.request);
  if (!answersAsOfPath(target.split('?', 1)[0] ?? ''))
    return {
      kind: 'impossible',
      reason: 'the answer is not a function of the log: measurements, records beside the log or the clock enter',
    };
  const asked: StatedRequest = { authority: authorityOf(file.request), target, account, position, rightsAsOf, at: Date.parse(at) };
  const found = await recomputedWhenAvailable(() => recomputeAnswer(config, resources, asked));
  if (found?.status === UNAVAILABLE)
    return { kind: 'impossible', reason: 'the database or the event store does not answer at present; try again' };
  if (found === null) return { kind: 'impossible', reason: `the log has no account ${String(account)} at position ${String(rightsAsOf)}` };
  const differences = compare(receipt, found);
  return differences.length === 0 ? { kind: 'equal' } : { kind: 'different', differences };
}

/** A database that is busy says nothing about the receipt: asked again before the answer counts. */
async function recomputedWhenAvailable(recompute: () => Promise<RecomputedAnswer | null>): Promise<RecomputedAnswer | null> {
  for (let tries = 1; ; tries++) {
    const found = await recompute();
    if (found?.status !== UNAVAILABLE || tries === TRIES) return found;
    await sleep(RETRY_MS);
  }
}

const authorityOf = ({ '@target-uri': uri = '', '@authority': authority = '' }: Readonly<Record<string, string>>): string =>
  isUrl(uri) ? new URL(uri).host : authority;

/** Path and query below the address of the installation, which may have a path of its own. */
function targetOf({ '@target-uri': uri = '', '@path': path = '', '@query': query = '' }: Readonly<Record<string, string>>): string {
  const target = isUrl(uri) ? `${new URL(uri).pathname}${new URL(uri).search}` : `${path}${query === '?' ? '' : query}`;
  return target.slice(Math.max(0, target.indexOf('/api/')));
}

function compare({ file: { response }, body }: Receipt, found: RecomputedAnswer): readonly string[] {
  if (found.status !== 200)
    return [`the service answered 200, computed again it is ${String(found.status)}: ${found.body.toString().slice(0, 200)}`];
  if (found.body.equals(body) && response.headers['content-type'] === found.type) return [];
  return answerDifferences(new TextDecoder().decode(body), found.body.toString());
}

const wordsOf = (outcome: Outcome, { position, statement }: Receipt): readonly string[] => {
  switch (outcome.kind) {
    case 'equal':
      return [`Equal: computed again from the log up to position ${String(position)}, as of ${statement.at}, it is the same to the byte.`];
    case 'different':
      return ['NOT EQUAL: computed again, the answer differs:', ...outcome.differences.map((difference) => `  ${difference}`)];
    case 'impossible':
      return [`It cannot be computed again: ${outcome.reason}.`];
  }
};

const MEASURED = 'Measurements or records beside the log entered this answer';

const notesOf = ({ statement }: Receipt, { kind }: Outcome): readonly string[] =>
  kind === 'equal' && statement.statementOf === 'service' ? [`${MEASURED}: they are still kept.`] : [];

/** What may explain a difference although the answer was right. */
async function reasonsOf(pool: pg.Pool, { statement, position }: Receipt): Promise<readonly string[]> {
  const { rows } = await pool.query<{ count: string }>(`SELECT count(*) AS count FROM log WHERE type = 'AccountErased' AND n > $1`, [
    position,
  ]);
  const erased = Number(rows[0]?.count ?? 0);
  const program = programVersion();
  return [
    ...(statement.statementOf === 'service'
      ? [`${MEASURED}: a difference in them proves nothing, because they are kept for a limited time.`]
      : []),
    ...(erased > 0 ? [`Accounts that were erased since: ${String(erased)}. Their personal data cannot be computed any more.`] : []),
    ...(program === statement.program ? [] : [`It was signed by version ${statement.program} of the program; this is ${program}.`]),
  ];
}
