import { canonicalJson } from '../ledger/verify/canonical-json.ts';
import { leafOf, type SealedEvent } from '../ledger/verify/leaf.ts';
import { composeStatement, type ComposeRequest } from './compose.ts';
import { STATEMENT_FORMAT, type StatementDocument } from './document.ts';
import { packEvidence, streamExtents } from './evidence.ts';
import type { StatementFacts } from './facts.ts';

export interface AssembleRequest extends ComposeRequest, Pick<StatementDocument, 'project' | 'edition' | 'generatedAt'> {
  /** In log order. */
  readonly events: readonly SealedEvent[];
  readonly facts: StatementFacts;
}

/** The part of the ledger that proves and signs a statement. */
export interface StatementLedger {
  readonly prove: (
    positions: readonly number[],
  ) => Promise<{ readonly checkpoint: string; readonly paths: readonly (readonly string[])[] }>;
  readonly signatureOf: (text: string) => Promise<string>;
}

/** A signed statement in its canonical form. */
export async function assembleStatement(request: AssembleRequest, ledger: StatementLedger): Promise<string> {
  const { events, facts, span, asked, project, edition, generatedAt } = request;
  const figures = composeStatement(facts, request);
  const { checkpoint, paths } = await ledger.prove(events.map(({ n }) => n));
  const document: StatementDocument = {
    ...{ format: STATEMENT_FORMAT, project, span, asked, edition, generatedAt, checkpoint, ...figures },
    streams: streamExtents(events),
    evidence: packEvidence(events.map((event, at) => ({ index: event.n, leaf: leafOf(event), path: paths[at] ?? [] }))),
  };
  const signature = await ledger.signatureOf(`${canonicalJson(document)}\n`);
  return `${canonicalJson({ ...document, signature })}\n`;
}
