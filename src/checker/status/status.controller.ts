import { Controller, Get } from '@nestjs/common';
import { requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentList } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { ListPage, ListRequest } from '../../platform/http/lists/list.ts';
import { StatusReading } from './status-reading.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

@Controller('project/:id')
export class StatusController {
  constructor(private readonly reading: StatusReading) {}

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
