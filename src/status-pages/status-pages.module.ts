import { Module } from '@nestjs/common';
import { SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SubscriberStore } from './subscribers/subscriber-store.ts';
import { ChangeIncidentHandler } from './incident.commands.ts';
import {
  ChangeStatusPageHandler,
  CreateStatusPageHandler,
  DeleteStatusPageHandler,
  SetStatusPageHostsHandler,
} from './status-page.commands.ts';

/** The commands of status pages, and their subscribers. */
@Module({
  providers: [
    ...[SubscriberLinks, SubscriberStore],
    ...[ChangeIncidentHandler],
    ...[ChangeStatusPageHandler, CreateStatusPageHandler, DeleteStatusPageHandler, SetStatusPageHostsHandler],
  ],
  exports: [SubscriberLinks, SubscriberStore],
})
export class StatusPagesModule {}
