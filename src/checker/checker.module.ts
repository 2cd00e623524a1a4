import { Module } from '@nestjs/common';
import { NoteFoundFormHandler } from '../commands/area.commands.ts';
import { NameCheckHandler } from '../commands/check.commands.ts';
import { InspectHomepageHandler } from '../commands/project.commands.ts';
import { EndJobHandler } from '../commands/job.commands.ts';
import {
  RecordCertificateLookHandler,
  RecordProbesHandler,
  RecordRedirectHandler,
  RecordRunHandler,
} from '../commands/observation.commands.ts';
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
