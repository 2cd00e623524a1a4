import { Global, Module } from '@nestjs/common';
import { CorrectionReader } from '../checker/corrections/correction.reader.ts';
import { PastProjectsReader } from '../projects/past-projects.reader.ts';
import { ProjectListReader } from '../projects/project-list.reader.ts';
import { ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';

const readers = [CorrectionReader, PastProjectsReader, ProjectListReader, ResponseTimesReader, UptimeReader];

/** Reads that combine views with observations or the log; a single view is read through `Views`. */
@Global()
@Module({ providers: readers, exports: readers })
export class ReadModelsModule {}
