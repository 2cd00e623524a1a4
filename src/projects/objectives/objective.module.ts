import { Module } from '@nestjs/common';
import { ObjectiveController } from './objective.controller.ts';

@Module({ controllers: [ObjectiveController] })
export class ObjectiveModule {}
