import { Module } from '@nestjs/common';
import { ImportedUptimeController } from './imported-uptime/imported-uptime.controller.ts';
import { ResponseTimesController } from './response-times/response-times.controller.ts';
import { UptimeController } from './uptime/uptime.controller.ts';

/** Uptime and response times. */
@Module({
  controllers: [UptimeController, ResponseTimesController, ImportedUptimeController],
})
export class WatchesModule {}
