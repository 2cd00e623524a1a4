import { decodeCursor, encodeCursor, numberAt } from '../../platform/http/lists/cursor.ts';
import { limitOf, queryText } from '../../platform/http/lists/list-request.ts';

/** Events that a page of a comparison covers, so that its cost does not depend on the length of the history. */
const DEFAULT_EVENTS = 500;
const MAX_CURSOR = 200;

export interface ComparePage {
  readonly limit: number;
  /** The position of the log at which the page before ended; null: the first page. */
  readonly after: number | null;
}

const ownerOf = (projectId: string) => ({ list: ['compare', projectId], sort: '' });

export function readComparePage(query: Readonly<Record<string, unknown>>, projectId: string): ComparePage {
  const cursor = queryText(query, 'cursor', MAX_CURSOR);
  const limit = limitOf(query['limit'], null) ?? DEFAULT_EVENTS;
  return { limit, after: cursor === null ? null : numberAt(decodeCursor(ownerOf(projectId), cursor)) };
}

export const compareCursor = (projectId: string, n: number): string => encodeCursor(ownerOf(projectId), { value: n, key: '' });
