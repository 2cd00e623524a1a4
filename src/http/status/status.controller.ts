import { Controller, Get, Inject } from '@nestjs/common';
import { requestNow } from '../as-of/as-of.ts';
import { Accessed } from '../context/decorators.ts';
import type { ProjectAccess } from '../context/project-access.ts';
import { StatusReading } from './status-reading.ts';

@Controller('project/:id')
export class StatusController {
  constructor(@Inject(StatusReading) private readonly reading: StatusReading) {}

  @Get('status')
  status(@Accessed() { row }: ProjectAccess): Promise<object> {
    return this.reading.summary(row, requestNow());
  }

  @Get('simple-status')
  simpleStatus(@Accessed() { row }: ProjectAccess): Promise<object> {
    return this.reading.simple(row);
  }
}
