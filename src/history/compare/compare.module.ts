import { Module } from '@nestjs/common';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { CompareController } from './compare.controller.ts';
import { CompareReading } from './compare-reading.ts';

@Module({ imports: [AuthModule], controllers: [CompareController], providers: [CompareReading] })
export class CompareModule {}
