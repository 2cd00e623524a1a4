export const STATUS_PAGE_TABLES = `
  -- Subscribers of status pages, and the outbox of what they are notified of. Subscribers are no accounts, so both stand apart from those of alerts.
  CREATE TABLE status_subscriber (
    id           uuid        PRIMARY KEY,
    page_id      text        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('email', 'webhook')),
    -- Keyed hash of page, kind and address: an address is subscribed to a page once.
    address_hash text        NOT NULL UNIQUE,
    -- The address, and the secret of a webhook.
    sealed       text        NOT NULL,
    -- Ids of items of the page; empty: everything.
    items        text[]      NOT NULL,
    language     text        NOT NULL,
    confirmed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX status_subscriber_of_page ON status_subscriber (page_id);

  -- What the subscribers of a page are notified of: public words of an event.
  CREATE TABLE status_notice (
    id      uuid        PRIMARY KEY,
    page_id text        NOT NULL,
    cause_n bigint      NOT NULL,
    facts   jsonb       NOT NULL,
    made_at timestamptz NOT NULL
  );
  CREATE INDEX status_notice_of_page ON status_notice (page_id, cause_n);

  CREATE TABLE status_delivery (
    id            uuid        PRIMARY KEY,
    notice_id     uuid        NOT NULL,
    subscriber_id uuid        NOT NULL,
    kind          text        NOT NULL,
    seq           bigint      NOT NULL,
    state         text        NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'failed')),
    attempts      integer     NOT NULL DEFAULT 0,
    next_try      timestamptz NOT NULL,
    give_up_at    timestamptz NOT NULL,
    last_answer   text,
    finished_at   timestamptz
  );
  CREATE INDEX status_delivery_due ON status_delivery (kind, next_try, seq) WHERE state = 'due';
  CREATE INDEX status_delivery_due_of_subscriber ON status_delivery (subscriber_id, seq) WHERE state = 'due';
  CREATE INDEX status_delivery_of_subscriber ON status_delivery (subscriber_id);
  CREATE INDEX status_delivery_finished ON status_delivery (finished_at);
`;
