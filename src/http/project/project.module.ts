import { Module } from '@nestjs/common';
import { ProjectController } from './project.controller.ts';
import { ProjectCreation } from './project-creation.ts';
import { ProjectList } from './project-list.ts';
import { ProjectReading } from './project-reading.ts';

@Module({
  controllers: [ProjectController],
  providers: [ProjectCreation, ProjectList, ProjectReading],
  exports: [ProjectCreation, ProjectList, ProjectReading],
})
export class ProjectModule {}
