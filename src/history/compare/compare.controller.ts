import { Controller, Get, Param, Query } from '@nestjs/common';
import { InvalidInput } from '../../kernel/errors.ts';
import { AsOfResolver } from '../../platform/http/as-of/as-of-resolver.ts';
import { CompareReading } from './compare-reading.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { decodeCursor, encodeCursor, numberAt } from '../../platform/http/lists/cursor.ts';
import { limitOf, queryText } from '../../platform/http/lists/list-request.ts';

/** Events that a page of a comparison covers, so that its cost does not depend on the length of the history. */
const DEFAULT_EVENTS = 500;
const MAX_CURSOR = 200;

interface ComparePage {
  readonly limit: number;
  /** The position of the log at which the page before ended; null: the first page. */
  readonly after: number | null;
}

const ownerOf = (projectId: string) => ({ list: ['compare', projectId], sort: '' });

function readComparePage(query: Readonly<Record<string, unknown>>, projectId: string): ComparePage {
  const cursor = queryText(query, 'cursor', MAX_CURSOR);
  const limit = limitOf(query['limit'], null) ?? DEFAULT_EVENTS;
  return { limit, after: cursor === null ? null : numberAt(decodeCursor(ownerOf(projectId), cursor)) };
}

const compareCursor = (projectId: string, n: number): string => encodeCursor(ownerOf(projectId), { value: n, key: '' });

type Given = Readonly<Record<string, unknown>>;

const PARAMETERS = ['from', 'to', 'limit', 'cursor'];

/** docs/spec/beyond.md#B3. */
@Controller('project/:id')
export class CompareController {
  constructor(
    private readonly asOf: AsOfResolver,
    private readonly reading: CompareReading,
  ) {}

  /** Answers with the instants as they were given; `to` defaults to now. A page at a time, so that the cost does not grow with the history. */
  @Get('compare')
  @Needs(projectRight('read'))
  async compare(@Param('id') projectId: string, @Query() given: Given): Promise<object> {
    const unknown = Object.keys(given).find((name) => !PARAMETERS.includes(name));
    if (unknown !== undefined) throw new InvalidInput(`${unknown.slice(0, 60)}: is not a known parameter`);
    const asked = { from: given['from'], to: given['to'] ?? new Date().toISOString() };
    const [from, to] = [await this.asOf.read(asked.from, 'from', projectId), await this.asOf.read(asked.to, 'to', projectId)];
    if (from.n > to.n) throw new InvalidInput('to: must be later than from');
    const page = readComparePage(given, projectId);
    if (page.after !== null && (page.after < from.n || page.after > to.n))
      throw new InvalidInput('cursor: does not lie between from and to');
    const begin = page.after === null ? from : await this.asOf.atPosition(page.after, 'cursor');
    const until = await this.reading.endOfPage(projectId, begin.n, to.n, page.limit);
    const end = until === null ? to : await this.asOf.atPosition(until, 'to');
    const changes = await this.reading.changes(projectId, begin, end);
    return { ...asked, changes, nextCursor: until === null ? null : compareCursor(projectId, until) };
  }
}
