import { Module } from '@nestjs/common';
import { SetImportedUptimeHandler } from './imported-uptime/imported-uptime.commands.ts';
import { CloseDayHandler, RecordCertificateLookHandler, RecordProbesHandler, RecordRedirectHandler } from './observation.commands.ts';

/** The commands of what is watched over days. */
@Module({
  providers: [
    ...[SetImportedUptimeHandler],
    ...[CloseDayHandler, RecordCertificateLookHandler, RecordProbesHandler, RecordRedirectHandler],
  ],
})
export class WatchesModule {}
