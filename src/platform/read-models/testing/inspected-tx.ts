import type { ProjectionTx } from '../authoring/define-projection.ts';

export interface StatementInspection {
  /** Throws to refuse a statement. */
  readonly inspect: (statement: string) => void;
  /** Runs work that may use clock and randomness, such as the database driver's. */
  readonly allow: <T>(work: () => T) => T;
}

/** Inspects every statement of a handler before it is sent. */
export class InspectedTx implements ProjectionTx {
  constructor(
    private readonly tx: ProjectionTx,
    private readonly inspection: StatementInspection,
  ) {}

  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    this.inspection.inspect(text);
    return this.inspection.allow(() => this.tx.query<Row>(text, values));
  }

  add(...given: Parameters<ProjectionTx['add']>): void {
    this.tx.add(...given);
  }
}

const QUOTED = /'(?:[^']|\'\')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
const NONDETERMINISTIC =
  /\b(?:(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|uuid_generate_v\w+)\s*\(|current_(?:timestamp|date|time)\b|localtime(?:stamp)?\b)/i;

/** The first use of a clock or of randomness in a statement, null if there is none. */
export const clockOrRandomnessIn = (statement: string): string | null =>
  NONDETERMINISTIC.exec(statement.replace(QUOTED, "''"))?.[0].replace(/\s*\($/, '()') ?? null;
