import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { CompareReading } from './compare/compare-reading.ts';
import { CompareController } from './compare/compare.controller.ts';
import { FeedPages } from './feed/feed-pages.ts';
import { FeedReading } from './feed/feed-reading.ts';
import { FeedScopes } from './feed/feed-scopes.ts';
import { FeedStream } from './feed/feed-stream.ts';
import { FeedController } from './feed/feed.controller.ts';
import { LogTail } from './feed/log-tail.ts';
import { HistoryModule } from './history.module.ts';
import { HistoryFiles } from './history-files.ts';
import { HistoryReading } from './history-reading.ts';
import { HistoryController } from './history.controller.ts';
import { EventSchemaReading } from './schemas/event-schema-reading.ts';
import { EventSchemaController } from './schemas/event-schema.controller.ts';

/** History, comparison of two instants, and the feed of events. */
@Module({
  imports: [AccountsRoutesModule, HistoryModule],
  controllers: [HistoryController, EventSchemaController, FeedController, CompareController],
  providers: [HistoryReading, HistoryFiles, EventSchemaReading, FeedPages, FeedReading, FeedScopes, FeedStream, LogTail, CompareReading],
  exports: [HistoryReading, HistoryFiles, FeedReading, FeedScopes, LogTail],
})
export class HistoryRoutesModule {}
