import { Module } from '@nestjs/common';
import { EndJobHandler } from '../commands/job/end-job.command.ts';
import { RecordCertificateLookHandler } from '../commands/certificate/record-look.command.ts';
import { RecordRedirectHandler } from '../commands/redirect/record-redirect.command.ts';
import { RecordProbesHandler } from '../commands/uptime/record-probes.command.ts';
import { RecordRunHandler } from '../commands/verdict/record-run.command.ts';
import { CheckerRuntime } from './checker-runtime.ts';

/** How we look. Present in instances that have the role. */
@Module({
  providers: [EndJobHandler, RecordRunHandler, RecordProbesHandler, RecordCertificateLookHandler, RecordRedirectHandler, CheckerRuntime],
  exports: [CheckerRuntime],
})
export class CheckerModule {}
