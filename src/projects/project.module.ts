import { Module } from '@nestjs/common';
import { AreaModule } from './areas/area.module.ts';
import { CheckModule } from './checks/check.module.ts';
import { FirstChecksSettings } from './first-checks-input.ts';
import { ProjectController } from './project.controller.ts';
import { ProjectCreation } from './project-creation.ts';
import { ProjectList } from './project-list.ts';
import { ProjectReading } from './project-reading.ts';

@Module({
  imports: [AreaModule, CheckModule],
  controllers: [ProjectController],
  providers: [FirstChecksSettings, ProjectCreation, ProjectList, ProjectReading],
  exports: [ProjectCreation, ProjectList, ProjectReading],
})
export class ProjectModule {}
