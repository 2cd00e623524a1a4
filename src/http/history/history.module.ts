import { Module } from '@nestjs/common';
import { HistoryController } from './history.controller.ts';
import { HistoryReading } from './history-reading.ts';
import { NamesReader } from './names-reader.ts';

@Module({ controllers: [HistoryController], providers: [HistoryReading, NamesReader], exports: [HistoryReading] })
export class HistoryModule {}
