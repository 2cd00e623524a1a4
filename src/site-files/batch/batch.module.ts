import { Module } from '@nestjs/common';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { BatchController } from './batch.controller.ts';
import { BatchRun } from './batch-run.ts';

@Module({ imports: [AuthModule], controllers: [BatchController], providers: [BatchRun] })
export class BatchModule {}
