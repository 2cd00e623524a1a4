import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { TooContended } from '../../platform/commands/command-runner.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { FindIssuedStatement, IssueStatement } from './statement.commands.ts';
import type { ServiceObjective } from '../../projects/objectives/objective.settings.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import { type CoveringCheckpoint, Ledger } from '../seal/ledger.ts';
import { UptimeReader } from '../../watches/uptime/uptime.reader.ts';
import { type ComposeRequest, composeStatement, UnknownMethod, utcDaysOf } from './compose.ts';
import {
  type DayPart,
  type Edition,
  STATEMENT_FORMAT,
  type StatementContent,
  type StatementDocument,
  type StatementSpan,
} from './document.ts';
import { readFacts, startOfUtcDay, type StatementFacts } from './facts.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { spanOfMonth } from './month.ts';
import { nodePlatform } from './node-platform.ts';
import { pageSha256, type StatementFile } from './page/page-file.ts';
import { VERIFIER_SCRIPT } from './verifier-script.ts';
import type { StatementQuery } from './statement-query.ts';
import { StatementEvidence } from './statement-evidence.ts';
import { StatementStore } from './statement-store.ts';
import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import { leafOf, type SealedEvent } from '../../client/proofs/leaf.ts';
import { packEvidence, streamExtents } from './evidence.ts';
import { renderPage } from './page/render-page.ts';
import type { Platform } from '../../client/verify/platform.ts';

export type StatedProject = StatementDocument['project'];

interface Collected {
  readonly span: StatementSpan;
  readonly events: readonly LogEvent[];
  readonly facts: StatementFacts;
  readonly measured: ReadonlyMap<string, readonly DayPart[]>;
  readonly asked: readonly string[];
  /** The request named methods, or another offset than that of the objective. */
  readonly isVariation: boolean;
}

/** A day is closed about half an hour after its end; until then the statement of its month may still change. */
const SETTLED_AFTER = 3_600_000;
const ATTEMPTS = 5;

/** Statements: those of closed months are issued once and answered in the same bytes again (docs/spec/beyond.md#B21). */
@Injectable()
export class StatementReading {
  private readonly clock: Clock = systemClock;

  constructor(
    private readonly evidence: StatementEvidence,
    private readonly store: StatementStore,
    @Inject(UptimeReader) private readonly uptimes: Pick<UptimeReader, 'knownIntervals'>,
    @Inject(Ledger) private readonly ledger: StatementLedger,
    private readonly commands: CommandBus,
    @Inject(VERIFIER_SCRIPT) private readonly verifier: () => string,
  ) {}

  /**
   * A signed statement. That of a closed month is kept where the objective alone decides about offset and methods, so that readers cannot have any
   * number of them kept; and not of a month before the project's creation, unless it has days.
   */
  async read(project: StatedProject, createdAt: string, query: StatementQuery): Promise<StatementFile> {
    const collected = await this.collect(project.id, query);
    const { span, measured, facts, isVariation } = collected;
    const hasContent = Date.parse(createdAt) < Date.parse(span.to) || facts.days.size > 0;
    const isSettled = hasContent && this.clock.now() >= Date.parse(span.to) + SETTLED_AFTER && measured.size === 0;
    if (span.month === null || isVariation || !isSettled) return this.compose(project, collected, null, await this.covering(collected));
    return this.issued(project, query, collected, span.month);
  }

  private async issued(project: StatedProject, query: StatementQuery, first: Collected, month: string): Promise<StatementFile> {
    const { id: projectId } = project;
    let collected = first;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const latest = await this.commands.execute(new FindIssuedStatement(projectId, month));
      const kept = await this.keptFor(projectId, latest, collected);
      if (kept !== null) return kept;
      // What the latest edition stands on was recorded before it. Collected after it was read, the evidence misses none of that: no edition has less than one before.
      collected = await this.collect(projectId, query);
      const keptMeanwhile = await this.keptFor(projectId, latest, collected);
      if (keptMeanwhile !== null) return keptMeanwhile;
      const checkpoint = await this.covering(collected);
      // Kept, it would never have the cosignatures that are missing.
      if (!checkpoint.isCosigned) return this.compose(project, collected, null, checkpoint);
      const edition = (latest?.edition ?? 0) + 1;
      const supersedes = latest === null ? null : { number: latest.edition, sha256: latest.sha256, event: latest.event };
      const file = await this.compose(project, collected, { number: edition, supersedes }, checkpoint);
      const hashed = sha256(file.text);
      await this.store.put(projectId, hashed, file);
      const context = systemContext({ kind: 'reactor', id: 'statements' }, this.clock.now());
      const { offsetMinutes } = collected.span;
      const evidence = evidenceOf(collected);
      const statement = { projectId, month, offsetMinutes, edition, supersedes: supersedes?.event ?? null, sha256: hashed, evidence };
      const issued = await this.commands.execute(new IssueStatement(context, { statement }));
      if (issued?.sha256 === hashed) return file;
      await this.store.remove(projectId, hashed);
    }
    throw new TooContended('this statement is being issued by other requests; retry shortly');
  }

  private async keptFor(
    projectId: string,
    latest: { readonly evidence: string; readonly sha256: string } | null,
    collected: Collected,
  ): Promise<StatementFile | null> {
    return latest?.evidence === evidenceOf(collected) ? this.store.get(projectId, latest.sha256) : null;
  }

  private async collect(projectId: string, { asked, offsetMinutes: wanted, methods }: StatementQuery): Promise<Collected> {
    const end = 'month' in asked ? Date.parse(spanOfMonth(asked.month, wanted ?? 0).to) : asked.to;
    let objective = await this.evidence.objective(projectId, end);
    const offsetMinutes = wanted ?? offsetOf(objective) ?? 0;
    const { from, to } = 'month' in asked ? spanOfMonth(asked.month, offsetMinutes) : isoSpan(asked);
    const now = this.clock.now();
    if (Date.parse(from) > now) throw new InvalidInput('month: must not be in the future');
    if (Date.parse(to) !== end) objective = await this.evidence.objective(projectId, Date.parse(to));
    const until = new Date(Math.min(Date.parse(to), now)).toISOString();
    const span = { month: 'month' in asked ? asked.month : null, from, to, until, offsetMinutes };
    const known = { from: Date.parse(from), to: Date.parse(until) };
    const events = await namingMethods(() => this.evidence.collect(projectId, known, objective, methods));
    const facts = await readFacts(events, nodePlatform);
    const isVariation = methods.length > 0 || offsetMinutes !== (offsetOf(objective) ?? 0);
    return { span, events, facts, asked: methods, measured: await this.measured(projectId, known, facts), isVariation };
  }

  /** What samples say of the days that no event closed yet. */
  private async measured(projectId: string, span: TimeSpan, { days }: StatementFacts): Promise<Collected['measured']> {
    const open = utcDaysOf(span).filter((day) => !days.has(day));
    const measured = new Map<string, readonly DayPart[]>();
    const [first, last] = [open[0], open.at(-1)];
    if (first === undefined || last === undefined) return measured;
    const [from, to] = [startOfUtcDay(first), Math.min(startOfUtcDay(last) + DAY_MS, span.to)];
    const known = await this.uptimes.knownIntervals(projectId, { from, to, now: to });
    for (const day of open) {
      const start = startOfUtcDay(day);
      const parts = known.flatMap((interval): readonly DayPart[] => {
        const [begin, end] = [Math.max(interval.from - start, 0), Math.min(interval.to - start, DAY_MS)];
        return begin < end ? [[begin, end, interval.state]] : [];
      });
      if (parts.length > 0) measured.set(day, parts);
    }
    return measured;
  }

  private covering({ events }: Collected): Promise<CoveringCheckpoint> {
    return this.ledger.covering(events.at(-1)?.n ?? 0, 'cosigned');
  }

  private compose(
    project: StatedProject,
    collected: Collected,
    edition: Edition | null,
    checkpoint: CoveringCheckpoint,
  ): Promise<StatementFile> {
    const generatedAt = new Date(this.clock.now()).toISOString();
    const request = { ...collected, project, edition, generatedAt, checkpoint, verifier: this.verifier() };
    return namingMethods(() => assembleStatement(request, this.ledger, nodePlatform));
  }
}

const sha256 = (text: string): string => hash('sha256', text);

const evidenceOf = ({ events }: Collected): string => sha256(events.map(({ id }) => id).join('\n'));

const isoSpan = ({ from, to }: { readonly from: number; readonly to: number }) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

// The type of the event says which data it has.
const offsetOf = (objective: LogEvent | null): number | null =>
  objective?.type === 'ObjectiveSet' ? (objective.data as ServiceObjective).offsetMinutes : null;

/** A method that does not exist is the fault of the request. */
async function namingMethods<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownMethod)
      throw new InvalidInput(`method: the project has no method "${error.method}"; it has ${error.known.join(', ')}`, {
        allowed: error.known,
      });
    throw error;
  }
}

interface AssembleRequest extends ComposeRequest, Pick<StatementDocument, 'project' | 'edition' | 'generatedAt'> {
  /** In log order. */
  readonly events: readonly SealedEvent[];
  /** Over them all. */
  readonly checkpoint: CoveringCheckpoint;
  readonly facts: StatementFacts;
  /** The script that verifies the HTML file. */
  readonly verifier: string;
}

interface StatementSigner {
  readonly verifierKey: string;
  /** The signature line of a C2SP note over the text. */
  signatureLine(text: string): string;
}

/** The part of the ledger that proves and signs a statement. */
export interface StatementLedger {
  readonly covering: Ledger['covering'];
  readonly prove: (
    positions: readonly number[],
    checkpoint: CoveringCheckpoint,
  ) => Promise<{ readonly checkpoint: string; readonly paths: readonly (readonly string[])[] }>;
  /** Every active key, asked for once, so that the keys that a statement names are those that sign it. */
  readonly signers: () => Promise<readonly StatementSigner[]>;
}

/** A signed statement in its canonical form, and the page around it. */
export async function assembleStatement(request: AssembleRequest, ledger: StatementLedger, platform: Platform): Promise<StatementFile> {
  const { events, facts, span, asked, project, edition, generatedAt, verifier } = request;
  const figures = composeStatement(facts, request);
  const { checkpoint, paths } = await ledger.prove(
    events.map(({ n }) => n),
    request.checkpoint,
  );
  const signers = await ledger.signers();
  const content: StatementContent = {
    format: STATEMENT_FORMAT,
    project,
    span,
    asked,
    edition,
    generatedAt,
    checkpoint,
    ...figures,
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
