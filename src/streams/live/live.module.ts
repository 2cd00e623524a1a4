import { Module } from '@nestjs/common';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { HistoryModule } from '../../history/history.module.ts';
import { LiveController } from './live.controller.ts';
import { LiveFeed } from './live-feed.ts';
import { LiveResults } from './live-results.ts';

@Module({ imports: [AuthModule, HistoryModule], controllers: [LiveController], providers: [LiveFeed, LiveResults] })
export class LiveModule {}
