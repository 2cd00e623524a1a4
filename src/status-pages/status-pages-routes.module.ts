import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { IncidentController } from './incident.controller.ts';
import { PageDoor, PageMembers } from './page-door.ts';
import { PageHosts } from './page-hosts.ts';
import { PagePasswords } from './page-passwords.ts';
import { PageReading } from './page-reading.ts';
import { ProvenRecords } from './proven-records.ts';
import { PublicPages } from './public-pages.ts';
import { PublicStatusRoutes } from './public-routes.ts';
import { RecordReading } from './record-reading.ts';
import { ServedPages } from './served-pages.ts';
import { StatusPagesModule } from './status-pages.module.ts';
import { StatusPageRights } from './status-page-rights.ts';
import { StatusPageController } from './status-page.controller.ts';
import { SubscriberRoutes } from './subscriber-routes.ts';
import { SubscriberController } from './subscriber.controller.ts';
import { subscriberProviders } from './subscriber.providers.ts';

/** Status pages, their incidents and their subscribers. */
@Module({
  imports: [AccountsRoutesModule, StatusPagesModule],
  controllers: [StatusPageController, IncidentController, SubscriberController],
  providers: [
    StatusPageRights,
    PageReading,
    ServedPages,
    RecordReading,
    ProvenRecords,
    PageMembers,
    PagePasswords,
    PublicPages,
    PageHosts,
    PageDoor,
    PublicStatusRoutes,
    ...subscriberProviders,
    SubscriberRoutes,
  ],
  exports: [StatusPageRights],
})
export class StatusPagesRoutesModule {}
