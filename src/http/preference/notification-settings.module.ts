import { Module } from '@nestjs/common';
import { ChangeNotificationsHandler } from '../../commands/preference/change-notifications.command.ts';
import { NotificationSettingsController } from './notification-settings.controller.ts';

@Module({ controllers: [NotificationSettingsController], providers: [ChangeNotificationsHandler] })
export class NotificationSettingsModule {}
