import { Controller, Get, Inject } from '@nestjs/common';
import { requestNow } from '../as-of/as-of.ts';
import { CurrentList, CurrentProject } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import type { ListPage, ListRequest } from '../lists/list.ts';
import { StatusReading } from './status-reading.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';

@Controller('project/:id')
export class StatusController {
  constructor(@Inject(StatusReading) private readonly reading: StatusReading) {}

  @Get('status')
  @Needs(projectRight('read'))
  status(@CurrentProject() { row }: ProjectAccess, @CurrentList() request: ListRequest): Promise<ListPage> {
    return this.reading.summary(row, requestNow(), request);
  }

  @Get('simple-status')
  @Needs(projectRight('read'))
  simpleStatus(@CurrentProject() { row }: ProjectAccess, @CurrentList() request: ListRequest): Promise<ListPage> {
    return this.reading.simple(row, request);
  }
}
