import type pg from 'pg';
import type { Config } from '../config.ts';
import { newVapidKeys } from '../delivery/channels/web-push.channel.ts';
import type { MasterKeys } from '../security/keyring/master-keys.ts';
import { RotatingSecret } from '../security/keyring/rotating-secret.ts';
import type { RotatingSecrets } from '../security/keyring/rotating-secrets.ts';

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
