import { Global, Module } from '@nestjs/common';
import { CorrectionReader } from './correction/correction.reader.ts';
import { PastProjectsReader } from './project/past-projects.reader.ts';
import { ProjectListReader } from './project/project-list.reader.ts';
import { ResponseTimesReader } from './response-times/response-times.reader.ts';
import { UptimeReader } from './uptime/uptime.reader.ts';

const readers = [CorrectionReader, PastProjectsReader, ProjectListReader, ResponseTimesReader, UptimeReader];

/** Reads that combine views with observations or the log; a single view is read through `Views`. */
@Global()
@Module({ providers: readers, exports: readers })
export class ReadModelsModule {}
