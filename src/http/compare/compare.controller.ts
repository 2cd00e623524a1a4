import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { InvalidInput } from '../../kernel/errors.ts';
import { AsOfResolver } from '../as-of/as-of-resolver.ts';
import { CompareReading } from './compare-reading.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

type Given = Readonly<Record<string, unknown>>;

/** docs/spec/beyond.md#B3. */
@Controller('project/:id')
export class CompareController {
  constructor(
    @Inject(AsOfResolver) private readonly asOf: AsOfResolver,
    @Inject(CompareReading) private readonly reading: CompareReading,
  ) {}

  /** Answers with the instants as they were given; `to` defaults to now. */
  @Get('compare')
  @Needs(projectRight('read'))
  async compare(@Param('id') projectId: string, @Query() given: Given): Promise<object> {
    const unknown = Object.keys(given).find((name) => name !== 'from' && name !== 'to');
    if (unknown !== undefined) throw new InvalidInput(`${unknown.slice(0, 60)}: is not a known parameter`);
    const asked = { from: given['from'], to: given['to'] ?? new Date().toISOString() };
    const [from, to] = [await this.asOf.read(asked.from, 'from'), await this.asOf.read(asked.to, 'to')];
    if (from.n > to.n) throw new InvalidInput('to: must be later than from');
    return { ...asked, changes: await this.reading.changes(projectId, from, to) };
  }
}
