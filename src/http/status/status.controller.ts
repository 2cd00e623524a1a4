import { Controller, Get, Inject } from '@nestjs/common';
import { requestNow } from '../as-of/as-of.ts';
import { CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { StatusReading } from './status-reading.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

@Controller('project/:id')
export class StatusController {
  constructor(@Inject(StatusReading) private readonly reading: StatusReading) {}

  @Get('status')
  @Needs(projectRight('read'))
  status(@CurrentProject() { row }: ProjectAccess): Promise<object> {
    return this.reading.summary(row, requestNow());
  }

  @Get('simple-status')
  @Needs(projectRight('read'))
  simpleStatus(@CurrentProject() { row }: ProjectAccess): Promise<object> {
    return this.reading.simple(row);
  }
}
