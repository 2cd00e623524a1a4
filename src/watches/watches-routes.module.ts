import { Module } from '@nestjs/common';
import { ImportedUptimeController } from './imported-uptime/imported-uptime.controller.ts';
import { ResponseTimesController } from './response-times/response-times.controller.ts';
import { CheckUptimeController } from './uptime/check-uptime.controller.ts';
import { UptimeController } from './uptime/uptime.controller.ts';

/** Uptime and response times. */
@Module({
  controllers: [UptimeController, CheckUptimeController, ResponseTimesController, ImportedUptimeController],
})
export class WatchesRoutesModule {}
