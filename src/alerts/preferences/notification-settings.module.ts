import { Module } from '@nestjs/common';
import { NotificationSettingsController } from './notification-settings.controller.ts';

@Module({ controllers: [NotificationSettingsController] })
export class NotificationSettingsModule {}
