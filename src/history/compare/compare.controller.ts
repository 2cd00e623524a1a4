import { Controller, Get, Param, Query } from '@nestjs/common';
import { InvalidInput } from '../../kernel/errors.ts';
import { AsOfResolver } from '../../platform/http/as-of/as-of-resolver.ts';
import { compareCursor, readComparePage } from './compare-page.ts';
import { CompareReading } from './compare-reading.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

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
