import type { Sentences } from '../../kernel/sentence.ts';
import type { StatementEvents } from './statement.events.ts';

export const statementSentences = {
  StatementIssued: ({ month, edition }) => `Statement of ${month} issued${edition === 1 ? '' : `, edition ${String(edition)}`}`,
} satisfies Sentences<StatementEvents>;
