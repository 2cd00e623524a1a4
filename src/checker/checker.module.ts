import { Module } from '@nestjs/common';
import { EndJobHandler } from '../commands/job/end-job.command.ts';
import { RecordRunHandler } from '../commands/verdict/record-run.command.ts';
import { CheckerRuntime } from './checker-runtime.ts';

/** How we look. Present in instances that have the role. */
@Module({ providers: [EndJobHandler, RecordRunHandler, CheckerRuntime], exports: [CheckerRuntime] })
export class CheckerModule {}
