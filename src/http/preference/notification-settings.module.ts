import { Module } from '@nestjs/common';
import { ChangeNotificationsHandler } from '../../commands/preference.commands.ts';
import { NotificationSettingsController } from './notification-settings.controller.ts';

@Module({ controllers: [NotificationSettingsController], providers: [ChangeNotificationsHandler] })
export class NotificationSettingsModule {}
