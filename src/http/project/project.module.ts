import { Module } from '@nestjs/common';
import { ChangeSettingsHandler } from '../../commands/project/change-settings.command.ts';
import { CreateProjectHandler } from '../../commands/project/create-project.command.ts';
import { DeleteProjectHandler } from '../../commands/project/delete-project.command.ts';
import { ProjectController } from './project.controller.ts';
import { ProjectCreation } from './project-creation.ts';
import { ProjectList } from './project-list.ts';
import { ProjectReading } from './project-reading.ts';

@Module({
  controllers: [ProjectController],
  providers: [ProjectCreation, ProjectList, ProjectReading, CreateProjectHandler, ChangeSettingsHandler, DeleteProjectHandler],
})
export class ProjectModule {}
