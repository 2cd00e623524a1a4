import { Module } from '@nestjs/common';
import { ResponseTimesController } from './response-times.controller.ts';

@Module({ controllers: [ResponseTimesController] })
export class ResponseTimesModule {}
