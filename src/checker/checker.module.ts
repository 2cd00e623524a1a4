import { Module } from '@nestjs/common';
import { CorrectCheckHandler } from './corrections/correction.commands.ts';
import { EndJobHandler, RequestJobHandler, StartJobHandler } from './jobs/job.commands.ts';
import { RecordRunHandler, SkipRunHandler } from './verdicts/verdict.commands.ts';

/** The commands of jobs, verdicts and corrections. */
@Module({
  providers: [...[CorrectCheckHandler], ...[EndJobHandler, RequestJobHandler, StartJobHandler], ...[RecordRunHandler, SkipRunHandler]],
})
export class CheckerModule {}
