import { Module } from '@nestjs/common';
import { AuthModule } from '../accounts/sign-in/auth.module.ts';
import { FeedController } from './feed/feed.controller.ts';
import { FeedPages } from './feed/feed-pages.ts';
import { FeedReading } from './feed/feed-reading.ts';
import { FeedScopes } from './feed/feed-scopes.ts';
import { FeedStream } from './feed/feed-stream.ts';
import { LogTail } from './feed/log-tail.ts';
import { EventSchemaController } from './schemas/event-schema.controller.ts';
import { EventSchemaReading } from './schemas/event-schema-reading.ts';
import { HistoryController } from './history.controller.ts';
import { HistoryReading } from './history-reading.ts';
import { NamesReader } from './names-reader.ts';

@Module({
  imports: [AuthModule],
  controllers: [HistoryController, EventSchemaController, FeedController],
  providers: [HistoryReading, NamesReader, EventSchemaReading, FeedPages, FeedReading, FeedScopes, FeedStream, LogTail],
  exports: [HistoryReading, FeedReading, FeedScopes, LogTail],
})
export class HistoryModule {}
