import { Module } from '@nestjs/common';
import { AuthModule } from '../sign-in/auth.module.ts';
import { SecondFactorController } from './second-factor.controller.ts';

@Module({ imports: [AuthModule], controllers: [SecondFactorController] })
export class SecondFactorModule {}
