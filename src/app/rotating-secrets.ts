import type pg from 'pg';
import type { Config } from '../platform/config/config.ts';
import { newVapidKeys } from '../alerts/channels/web-push.channel.ts';
import type { MasterKeys } from '../platform/security/keyring/master-keys.ts';
import { RotatingSecret } from '../platform/security/keyring/rotating-secret.ts';
import type { RotatingSecrets } from '../platform/security/keyring/rotating-secrets.ts';

export function rotatingSecrets(
  { jwtKey, jwtKeyPrevious }: Pick<Config, 'jwtKey' | 'jwtKeyPrevious'>,
  pool: pg.Pool,
  master: MasterKeys,
): RotatingSecrets {
  const given = [jwtKey, jwtKeyPrevious].filter((key) => key !== undefined);
  return {
    jwt: new RotatingSecret({ pool, master, name: 'jwt', given }),
    vapid: new RotatingSecret({ pool, master, name: 'vapid', generate: newVapidKeys }),
  };
}
