import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf, NewEvent } from '../../kernel/event.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import type { StatementEvents } from './statement.events.ts';

export type StatementEvent = EventOf<StatementEvents>;
type Issued = StatementEvents['StatementIssued'];

export interface IssuedEdition extends Pick<Issued, 'edition' | 'sha256' | 'evidence'> {
  readonly event: string;
}

/** The latest edition of each month. */
export type IssuedStatements = ReadonlyMap<string, IssuedEdition>;

function evolve(state: IssuedStatements, event: StatementEvent & Partial<Pick<NewEvent, 'id'>>): IssuedStatements {
  switch (event.type) {
    case 'StatementIssued': {
      const { month, edition, sha256, evidence } = event.data;
      return new Map(state).set(month, { edition, sha256, evidence, event: event.id ?? '' });
    }
    default:
      return ignoreUnknownEvent(event.type, state);
  }
}

/** Nothing happens where another instance issued this edition before. */
export function issueStatement(state: IssuedStatements, wanted: Issued): readonly StatementEvent[] {
  const latest = state.get(wanted.month);
  return latest !== undefined && latest.edition >= wanted.edition ? [] : [{ type: 'StatementIssued', data: wanted }];
}

const issued: Decider<IssuedStatements, StatementEvent> = { initial: new Map(), evolve };

export const statementsTarget = (projectId: string) => ({
  stream: `statements-${projectId}`,
  scope: projectStream(projectId),
  decider: issued,
});
