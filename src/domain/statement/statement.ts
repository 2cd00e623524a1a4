import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { EventBody, NewEvent } from '../../kernel/event.ts';
import { projectStream } from '../stream-names.ts';
import type { StatementEvents } from './statement.events.ts';

export type StatementEvent = { [Type in keyof StatementEvents]: EventBody<Type, StatementEvents[Type]> }[keyof StatementEvents];
type Issued = StatementEvents['StatementIssued'];
/** What one statement is about; its editions follow each other. */
export type StatementSubject = Pick<Issued, 'month' | 'offsetMinutes' | 'methods'>;

export interface IssuedEdition extends Pick<Issued, 'edition' | 'sha256' | 'evidence'> {
  readonly month: string;
  readonly event: string;
}

/** The latest edition of each statement, by its subject. */
export type IssuedStatements = ReadonlyMap<string, IssuedEdition>;

export const statementKey = ({ month, offsetMinutes, methods }: StatementSubject): string =>
  `${month} ${String(offsetMinutes)} ${methods.join(' ')}`;

function evolve(state: IssuedStatements, event: StatementEvent & Partial<Pick<NewEvent, 'id'>>): IssuedStatements {
  switch (event.type) {
    case 'StatementIssued': {
      const { month, edition, sha256, evidence } = event.data;
      return new Map(state).set(statementKey(event.data), { month, edition, sha256, evidence, event: event.id ?? '' });
    }
    default:
      return ignoreUnknownEvent(event.type, state);
  }
}

/** Each is kept for ever. */
export const MAX_STATEMENTS_OF_MONTH = 10;

/** Nothing happens where another instance issued this edition before. */
export function issueStatement(state: IssuedStatements, wanted: Issued): readonly StatementEvent[] {
  const latest = state.get(statementKey(wanted));
  if (latest !== undefined && latest.edition >= wanted.edition) return [];
  const others = [...state.values()].filter(({ month }) => month === wanted.month).length;
  if (latest === undefined && others >= MAX_STATEMENTS_OF_MONTH)
    throw new InvalidInput(`month: at most ${String(MAX_STATEMENTS_OF_MONTH)} statements of one month are kept, by offset and methods`);
  return [{ type: 'StatementIssued', data: wanted }];
}

const issued: Decider<IssuedStatements, StatementEvent> = { initial: new Map(), evolve };

export const statementsTarget = (projectId: string) => ({
  stream: `statements-${projectId}`,
  scope: projectStream(projectId),
  decider: issued,
});
