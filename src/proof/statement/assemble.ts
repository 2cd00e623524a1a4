import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import { leafOf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { composeStatement, type ComposeRequest } from './compose.ts';
import { STATEMENT_FORMAT, type StatementContent, type StatementDocument } from './document.ts';
import { packEvidence, streamExtents } from './evidence.ts';
import type { StatementFacts } from './facts.ts';
import { pageSha256, type StatementFile } from './page/page-file.ts';
import { renderPage } from './page/render-page.ts';
import type { Platform } from '../../client/verify/platform.ts';

export interface AssembleRequest extends ComposeRequest, Pick<StatementDocument, 'project' | 'edition' | 'generatedAt'> {
  /** In log order. */
  readonly events: readonly SealedEvent[];
  readonly facts: StatementFacts;
  /** The script that verifies the HTML file. */
  readonly verifier: string;
}

export interface StatementSigner {
  readonly verifierKey: string;
  /** The signature line of a C2SP note over the text. */
  signatureLine(text: string): string;
}

/** The part of the ledger that proves and signs a statement. */
export interface StatementLedger {
  readonly prove: (
    positions: readonly number[],
  ) => Promise<{ readonly checkpoint: string; readonly paths: readonly (readonly string[])[] }>;
  /** Every active key, asked for once, so that the keys that a statement names are those that sign it. */
  readonly signers: () => Promise<readonly StatementSigner[]>;
}

/** A signed statement in its canonical form, and the page around it. */
export async function assembleStatement(request: AssembleRequest, ledger: StatementLedger, platform: Platform): Promise<StatementFile> {
  const { events, facts, span, asked, project, edition, generatedAt, verifier } = request;
  const figures = composeStatement(facts, request);
  const { checkpoint, paths } = await ledger.prove(events.map(({ n }) => n));
  const signers = await ledger.signers();
  const content: StatementContent = {
    ...{ format: STATEMENT_FORMAT, project, span, asked, edition, generatedAt, checkpoint, ...figures },
    streams: streamExtents(events),
    evidence: packEvidence(events.map((event, at) => ({ index: event.n, leaf: leafOf(event), path: paths[at] ?? [] }))),
    keys: signers.map(({ verifierKey }) => verifierKey),
  };
  const page = renderPage(content, verifier, platform);
  const document: StatementDocument = { ...content, pageSha256: pageSha256(page, platform) };
  const signed = `${canonicalJson(document)}\n`;
  const signature = signers.map((signer) => signer.signatureLine(signed)).join('');
  return { page, text: `${canonicalJson({ ...document, signature })}\n` };
}
