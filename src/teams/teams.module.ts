import { Module } from '@nestjs/common';
import { ReactorStore } from './reactors/reactor-store.ts';

/** What is known of the reactors of teams. */
@Module({ providers: [ReactorStore], exports: [ReactorStore] })
export class TeamsModule {}
