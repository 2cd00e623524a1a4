import { Module } from '@nestjs/common';
import { RequestJobHandler } from '../../commands/job/request-job.command.ts';
import { JobController } from './job.controller.ts';
import { JobList } from './job-list.ts';
import { JobReading } from './job-reading.ts';
import { JobStart } from './job-start.ts';
import { JobWait } from './job-wait.ts';

@Module({ controllers: [JobController], providers: [JobStart, JobReading, JobWait, JobList, RequestJobHandler] })
export class JobModule {}
