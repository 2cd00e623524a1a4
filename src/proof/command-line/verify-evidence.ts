import { type EvidenceFile, parseEvidenceFile } from '../../checker/evidence/evidence-file.ts';
import { packExchange, jobOfExchange } from '../../checker/evidence/exchange-of.ts';
import { isPartlyHidden } from '../../checker/evidence/hidden-headers.ts';
import type { RuleFailure } from '../../checker/judging/judge-job.ts';
import type { Judge } from '../../checker/judging/judge.ts';
import type { RuleCondition } from '../../checker/rules/rule.ts';
import { rowOf } from '../../checker/rules/rule-table.ts';
import { same } from '../../kernel/change.ts';
import { shortened } from '../../kernel/text.ts';
import { parseLeaf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { strictBase64 } from '../../client/proofs/merkle-tree.ts';
import { parseNote, type VerifierKey } from '../../client/proofs/signed-note.ts';
import { type TlogProofVerdict, verifyTlogProof } from '../../client/proofs/tlog-proof.ts';
import { pageHash } from '../../platform/observations/pages/kept-pages.ts';
import { exchangeNamedBy, statementProblem, hasHiddenParts, isMaskedFormOf } from './evidence-statement.ts';

type Proven = Extract<TlogProofVerdict, { kind: 'proven' }>;

export type EvidenceVerdict =
  | {
      readonly kind: 'follows';
      readonly event: SealedEvent;
      readonly proven: Proven;
      /** What the file cannot show by itself. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'refuted'; readonly reason: string };

/** In characters: a reason may quote the file. */
const MAX_REASON = 1_000;

/** One line, whatever the file holds. */
const refuted = (reason: string): EvidenceVerdict => ({
  kind: 'refuted',
  reason: shortened(reason.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), MAX_REASON),
});

/** Whether what the event states follows from the bytes of the file, by the code that judged them. Trusts nothing in the file but what the keys signed. */
export async function verifyEvidence(
  text: string,
  keys: readonly VerifierKey[],
  judge: Pick<Judge, 'judge' | 'locate'>,
): Promise<EvidenceVerdict> {
  const file = parseEvidenceFile(text);
  if (typeof file === 'string') return refuted(file);
  try {
    return await verdictOn(file, keys, judge);
  } catch {
    // Also a signer may be the one who lies: what is sealed has any form.
    return refuted('the event or its exchange has another form than this version knows');
  }
}

async function verdictOn(
  file: EvidenceFile,
  keys: readonly VerifierKey[],
  judge: Pick<Judge, 'judge' | 'locate'>,
): Promise<EvidenceVerdict> {
  const proven = verifyTlogProof(file.proof, keys);
  if (proven.kind === 'refuted') return refuted(proven.reason);
  const checkpoint = file.proof.slice(file.proof.indexOf('\n\n') + 2);
  const signatures = parseNote(checkpoint)?.signatures.length;
  if (signatures !== proven.opened.signers.length) return refuted('the checkpoint has a signature that none of the given keys made');
  const event = parseLeaf(proven.leaf);
  if (event === null) return refuted('the proof has no event');
  const mismatch = mismatchOf(file, event);
  if (mismatch !== null) return refuted(mismatch);
  const judged = await judgedAgain(file, judge);
  if (typeof judged === 'string') return refuted(judged);
  const stated = statementProblem(event, file.exchange);
  return stated === null ? { kind: 'follows', event, proven, notes: judged } : refuted(stated);
}

/** Each part has to be the one that the part before it names by its hash. */
function mismatchOf({ project, exchange, page }: EvidenceFile, event: SealedEvent): string | null {
  if (event.scope !== `project-${project}`) return `the event is of ${event.scope}, not of the project ${project}`;
  const named = exchangeNamedBy(event);
  const { sha256 } = packExchange(exchange);
  if (named === undefined) return 'the event names no exchange';
  if (named !== sha256) return `the exchange was changed: the event names ${named}, the file has ${sha256}`;
  if (page === null) return null;
  const bytes = strictBase64(page);
  if (bytes === undefined) return 'the page is not in base64';
  const found = pageHash(bytes);
  return found === exchange.answer?.page
    ? null
    : `the page was changed: the exchange names ${exchange.answer?.page ?? 'none'}, the file has ${found}`;
}

/** What could not be judged again; a text: what differs. */
async function judgedAgain(
  { exchange, page, bytes }: EvidenceFile,
  judge: Pick<Judge, 'judge' | 'locate'>,
): Promise<readonly string[] | string> {
  const { judged, answer } = exchange;
  if (judged === null || answer === null) return bytes.length === 0 ? [] : 'there are byte ranges, but nothing was judged';
  if (page === null)
    return bytes.length === 0
      ? ['the page is not part of the file, so the rules were not applied again']
      : 'there are byte ranges without a page';
  const job = jobOfExchange(exchange, Buffer.from(page, 'base64'));
  if (job === null) return 'there is nothing to judge';
  const [verdict, located] = [await judge.judge(job, 'file'), await judge.locate(job)];
  if (verdict.kind === 'inconclusive') return `the page could not be judged: ${verdict.reason}`;
  if (located.kind === 'inconclusive') return `the page could not be searched: ${located.reason}`;
  const isHidden = isPartlyHidden(answer.headers);
  const skipped = new Set(job.rules.flatMap(({ type }, rule) => (isHidden && rowOf(type).reads === 'head' ? [rule] : [])));
  if (bytes.length !== job.rules.length) return 'there are not as many byte ranges as rules';
  const difference =
    differentResult(job.rules, judged.failures, verdict.failures, skipped) ?? differentBytes(job.rules, bytes, located.ranges);
  if (difference !== null) return difference;
  const masked = judged.failures.filter(({ sentence }) => hasHiddenParts(sentence)).length;
  return [
    ...(skipped.size === 0
      ? []
      : [`${String(skipped.size)} rules read headers whose values are hidden: for them the sealed result stands`]),
    ...(masked === 0 ? [] : [`the hidden parts of ${String(masked)} ${masked === 1 ? 'sentence' : 'sentences'} were not compared`]),
  ];
}

const inWords = (rules: readonly RuleCondition[], index: number): string =>
  `rule ${String(index + 1)} (${rules[index]?.type ?? ''} ${rules[index]?.op ?? ''} "${rules[index]?.val ?? ''}")`;

function differentResult(
  rules: readonly RuleCondition[],
  then: readonly RuleFailure[],
  now: readonly RuleFailure[],
  skipped: ReadonlySet<number>,
): string | null {
  const sentenceOf = (failures: readonly RuleFailure[], rule: number | null): string =>
    failures.find((one) => one.rule === rule)?.sentence ?? 'it passes';
  const different = (rule: number | null): boolean => !isMaskedFormOf(sentenceOf(then, rule), sentenceOf(now, rule));
  const results = (rule: number | null): string =>
    `another result: then ${sentenceOf(then, rule)}, by these bytes ${sentenceOf(now, rule)}`;
  const found = rules.findIndex((_, rule) => !skipped.has(rule) && different(rule));
  if (found >= 0) return `${inWords(rules, found)} gives ${results(found)}`;
  // A known error page counts only where no rule fails.
  return skipped.size === 0 && different(null) ? `the page as a whole gives ${results(null)}` : null;
}

function differentBytes(rules: readonly RuleCondition[], then: EvidenceFile['bytes'], now: EvidenceFile['bytes']): string | null {
  const found = rules.findIndex((_, rule) => !same(then[rule] ?? null, now[rule] ?? null));
  return found < 0 ? null : `the bytes of ${inWords(rules, found)} are others`;
}
