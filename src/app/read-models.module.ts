import { Global, Module } from '@nestjs/common';
import { CorrectionReader } from '../checker/corrections/correction.reader.ts';
import { AreaFactsReader } from '../checker/status/area-facts.ts';
import { CheckFactsReader } from '../checker/status/check-facts.ts';
import { ProjectDirectory } from '../accounts/rights/project-directory.ts';
import { ProjectRows } from '../projects/project-rows.ts';
import { AreaFindings } from '../projects/areas/area.presenter.ts';
import { CheckFindings } from '../projects/checks/check.presenter.ts';
import { ProjectFindings } from '../projects/project.presenter.ts';
import { ProjectFactsReader } from '../watches/project-facts.ts';
import { PastProjectsReader } from '../projects/past-projects.reader.ts';
import { ProjectListReader } from '../projects/project-list.reader.ts';
import { ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';

const readers = [CheckFactsReader, CorrectionReader, PastProjectsReader, ProjectListReader, ResponseTimesReader, UptimeReader];

/** What a capability asks of one after it: it declares the port, the other one implements it. */
const ports = [
  { provide: ProjectDirectory, useClass: ProjectRows },
  { provide: AreaFindings, useClass: AreaFactsReader },
  { provide: CheckFindings, useExisting: CheckFactsReader },
  { provide: ProjectFindings, useClass: ProjectFactsReader },
];

/** Reads that combine views with observations or the log; a single view is read through `Views`. And the ports between capabilities. */
@Global()
@Module({ providers: [...readers, ...ports], exports: [...readers, ...ports.map(({ provide }) => provide)] })
export class ReadModelsModule {}
