import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { randomId } from '../../kernel/ids.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { SubjectKey } from '../../platform/security/keyring/subject-key.ts';
import { type SignUp, SubscriberLinks } from './subscriber-links.ts';

/** The limit of one page. */
export const MAX_SUBSCRIBERS = 10_000;

const SUBJECT = 'subscriber addresses';

export interface SubscriberCounts {
  readonly email: number;
  readonly webhook: number;
  /** Subscribers that did not get their last message. */
  readonly failing: number;
}

export interface SubscriberAddress {
  readonly address: string;
  readonly secret: string | null;
}

const CONFIRM = `
  INSERT INTO status_subscriber (id, page_id, kind, address_hash, sealed, items, language)
  SELECT $1, $2, $3, $4, $5, $6, $7
  WHERE EXISTS (SELECT FROM status_subscriber WHERE address_hash = $4) OR (SELECT count(*) FROM status_subscriber WHERE page_id = $2) < $8
  ON CONFLICT (address_hash) DO UPDATE SET sealed = EXCLUDED.sealed, items = EXCLUDED.items, language = EXCLUDED.language
  RETURNING id`;

const removal = (which: string): string => `
  WITH removed AS (DELETE FROM status_subscriber WHERE ${which} RETURNING id),
    unsent AS (DELETE FROM status_delivery WHERE subscriber_id IN (SELECT id FROM removed))
  SELECT id FROM removed`;
const REMOVE_ONE = removal('id = $1');
const REMOVE_ADDRESSES = removal('address_hash = ANY ($1)');
const REMOVE_PAGE = removal('page_id = $1');

const COUNTS = `
  SELECT count(*) FILTER (WHERE kind = 'email')::int AS email, count(*) FILTER (WHERE kind = 'webhook')::int AS webhook,
    count(*) FILTER (WHERE 'failed' = (
      SELECT state FROM status_delivery d WHERE d.subscriber_id = s.id AND d.state <> 'due' ORDER BY seq DESC LIMIT 1))::int AS failing
  FROM status_subscriber s WHERE page_id = $1`;

const RETRY = `
  UPDATE status_delivery d SET state = 'due', next_try = now(), give_up_at = now() + interval '24 hours', finished_at = NULL
  FROM status_subscriber s WHERE s.id = d.subscriber_id AND s.page_id = $1 AND d.state = 'failed'`;

/**
 * The subscribers of status pages, beside the log: an address of an outsider stands in no event. It is encrypted, and goes with its row when the subscriber
 * leaves; a backup holds it among the keys, of which only the newest copy is kept.
 */
@Injectable()
export class SubscriberStore {
  private readonly links: SubscriberLinks;

  constructor(
    private readonly pool: pg.Pool,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'secret'>,
  ) {
    this.links = new SubscriberLinks(secrets);
  }

  /** Idempotent; an address that is subscribed already gets other items. False: the page has as many subscribers as it may have. */
  async confirm(signUp: SignUp): Promise<boolean> {
    const { pageId, kind, address, secret, items, language } = signUp;
    const [hash, key] = [await this.links.addressHash(signUp), await this.key()];
    const { sealed } = key.seal(JSON.stringify({ address, secret } satisfies SubscriberAddress));
    const values = [randomId(), pageId, kind, hash, sealed, items, language, MAX_SUBSCRIBERS];
    return (await this.pool.query(CONFIRM, values)).rowCount === 1;
  }

  async addressOf(sealed: string): Promise<SubscriberAddress> {
    return JSON.parse((await this.key()).open({ subject: SUBJECT, sealed })) as SubscriberAddress;
  }

  /** With what was not sent to it yet. */
  async remove(subscriberId: string): Promise<void> {
    await this.pool.query(REMOVE_ONE, [subscriberId]);
  }

  /** False: it was no subscriber of the page. */
  async removeAddress(pageId: string, address: string): Promise<boolean> {
    const hashes = await Promise.all((['email', 'webhook'] as const).map((kind) => this.links.addressHash({ pageId, kind, address })));
    return ((await this.pool.query(REMOVE_ADDRESSES, [hashes])).rowCount ?? 0) > 0;
  }

  async countsOf(pageId: string): Promise<SubscriberCounts> {
    const { rows } = await this.pool.query<SubscriberCounts>(COUNTS, [pageId]);
    return rows[0] ?? { email: 0, webhook: 0, failing: 0 };
  }

  /** Gives the dead letters of a page another day of attempts; answers their number. */
  async retryFailed(pageId: string): Promise<number> {
    return (await this.pool.query(RETRY, [pageId])).rowCount ?? 0;
  }

  private async key(): Promise<SubjectKey> {
    return new SubjectKey(SUBJECT, await this.secrets.secret('subscribers'));
  }
}

/** With the transaction of the process manager that has seen the deletion of the page. */
export const removeSubscribersOf = async (client: Pick<pg.ClientBase, 'query'>, pageId: string): Promise<void> => {
  await client.query(REMOVE_PAGE, [pageId]);
  await client.query('DELETE FROM status_notice WHERE page_id = $1', [pageId]);
};
