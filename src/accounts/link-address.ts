import type { Config } from '../platform/config/config.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import type { LinkPurpose } from './tokens/link-store.ts';

const PAGE: Readonly<Record<LinkPurpose | 'invitation', string>> = {
  confirm: 'api/account/confirm?token=',
  password: 'api/account/password/reset?token=',
  notification: 'api/account/notification-email/confirm?token=',
  invitation: 'api/account/invitation?token=',
  // The fragment reaches no server, no log and no `Referer`.
  'sign-in': 'console/welcome#link=',
};

export const linkTo = (config: Pick<Config, 'publicUrl' | 'host' | 'port'>, purpose: LinkPurpose | 'invitation', token: string): string =>
  linkAt(ownOrigin(config), purpose, token);

export const linkAt = (base: string, purpose: LinkPurpose | 'invitation', token: string): string => `${base}/${PAGE[purpose]}${token}`;
