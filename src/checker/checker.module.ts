import { Module } from '@nestjs/common';
import { NoteFoundFormHandler } from '../commands/area/note-found-form.command.ts';
import { NameCheckHandler } from '../commands/check/name-check.command.ts';
import { InspectHomepageHandler } from '../commands/project/inspect-homepage.command.ts';
import { EndJobHandler } from '../commands/job/end-job.command.ts';
import { RecordCertificateLookHandler } from '../commands/certificate/record-look.command.ts';
import { RecordRedirectHandler } from '../commands/redirect/record-redirect.command.ts';
import { RecordProbesHandler } from '../commands/uptime/record-probes.command.ts';
import { RecordRunHandler } from '../commands/verdict/record-run.command.ts';
import { checkerParts } from './checker-parts.ts';
import { CheckerRuntime } from './checker-runtime.ts';

/** How we look. Present in instances that have the role. */
@Module({
  providers: [
    EndJobHandler,
    RecordRunHandler,
    RecordProbesHandler,
    RecordCertificateLookHandler,
    RecordRedirectHandler,
    InspectHomepageHandler,
    NameCheckHandler,
    NoteFoundFormHandler,
    checkerParts,
    CheckerRuntime,
  ],
  exports: [CheckerRuntime],
})
export class CheckerModule {}
