import { AccountsModule } from '../accounts/accounts.module.ts';
import { AlertsModule } from '../alerts/alerts.module.ts';
import { CheckerModule } from '../checker/checker.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { OperationsModule } from '../operations/operations.module.ts';
import { OverviewModule } from '../overview/overview.module.ts';
import { ProjectsModule } from '../projects/projects.module.ts';
import { StatementModule } from '../proof/statement/statement.module.ts';
import { ReceiptsModule } from '../proof/receipts/receipts.module.ts';
import { SiteFilesModule } from '../site-files/site-files.module.ts';
import { StatusPagesModule } from '../status-pages/status-pages.module.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { WatchesModule } from '../watches/watches.module.ts';

/** The command handlers and stores of every capability, in every role and under the command line; each imports only modules of those before it. */
export const capabilityModules = [
  AccountsModule,
  ProjectsModule,
  CheckerModule,
  WatchesModule,
  AlertsModule,
  HistoryModule,
  StreamsModule,
  StatementModule,
  ReceiptsModule,
  StatusPagesModule,
  OverviewModule,
  SiteFilesModule,
  OperationsModule,
];
