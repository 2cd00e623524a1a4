import type { ProjectionTx } from '../authoring/define-projection.ts';

export interface Watch {
  /** May refuse a statement. */
  readonly before: (statement: string) => void;
  /** The driver has clocks of its own, of which the author knows nothing. */
  readonly leave: <T>(work: () => T) => T;
}

/** Looks at every statement before it goes out. */
export class InspectedTx implements ProjectionTx {
  constructor(
    private readonly tx: ProjectionTx,
    private readonly watch: Watch,
  ) {}

  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    this.watch.before(text);
    return this.watch.leave(() => this.tx.query<Row>(text, values));
  }

  add(...given: Parameters<ProjectionTx['add']>): void {
    this.tx.add(...given);
  }
}

const QUOTED = /'(?:[^']|\'\')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
const ASKS =
  /\b(?:(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|uuid_generate_v\w+)\s*\(|current_(?:timestamp|date|time)\b|localtime(?:stamp)?\b)/i;

/** What in a statement answers something else each time. */
export const clockOrChance = (statement: string): string | null =>
  ASKS.exec(statement.replace(QUOTED, "''"))?.[0].replace(/\s*\($/, '()') ?? null;
