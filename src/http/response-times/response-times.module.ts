import { Module } from '@nestjs/common';
import { ResponseTimesHandler } from '../../projections/read-models/response-times/response-times.query.ts';
import { ResponseTimesController } from './response-times.controller.ts';

@Module({ controllers: [ResponseTimesController], providers: [ResponseTimesHandler] })
export class ResponseTimesModule {}
