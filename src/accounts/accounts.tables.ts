export const ACCOUNT_TABLES = `
  CREATE TABLE passwords (
    user_id    integer     PRIMARY KEY,
    hash       text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
  );

  -- Pending password changes and erasures record their actor and command (noted), so that a resumed one writes the event of the original command.
  CREATE TABLE password_changes (
    user_id    integer     PRIMARY KEY,
    command_id text        NOT NULL,
    hash       text        NOT NULL,
    noted      json        NOT NULL,
    begun_at   timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE erasures (
    user_id  integer     PRIMARY KEY,
    begun_at timestamptz NOT NULL DEFAULT now(),
    done_at  timestamptz,
    noted    json
  );

  CREATE TABLE tokens (
    token_id           text        PRIMARY KEY,
    -- A service account has a number below 0 here.
    user_id            integer     NOT NULL,
    kind               text        NOT NULL,
    issued_at          timestamptz NOT NULL DEFAULT now(),
    expires_at         timestamptz NOT NULL,
    last_used_at       timestamptz,
    -- For sessions only: when the holder last proved who they are, from where the session was opened (sealed), and the command that is ending it.
    confirmed_at       timestamptz,
    opened_from        text,
    ending             json,
    -- What the session was opened with besides a password.
    second_factor      text,
    -- Sealed with the key of the account.
    last_used_from     text,
    -- The project of a service account; null for one of the installation.
    project_id         text,
    -- For sessions of the console, whose login token is shown as a cookie: the values of the cookie are stored as hashes only.
    cookie_hash        text        UNIQUE,
    cookie_at          timestamptz,
    cookie_role        text,
    former_cookie_hash text,
    by_link            boolean     NOT NULL DEFAULT false,
    CONSTRAINT tokens_kind_check CHECK (
      kind IN ('login', 'personal') AND user_id > 0 AND project_id IS NULL
      OR kind = 'service' AND user_id < 0
    )
  );
  CREATE INDEX tokens_by_user ON tokens (user_id);
  CREATE INDEX tokens_by_expiry ON tokens (expires_at);
  CREATE INDEX tokens_ending ON tokens (token_id) WHERE ending IS NOT NULL;
  CREATE INDEX tokens_by_project ON tokens (project_id) WHERE project_id IS NOT NULL;
  CREATE INDEX tokens_former_cookie ON tokens (former_cookie_hash) WHERE former_cookie_hash IS NOT NULL;

  -- The days on which what a token did needed a scope.
  CREATE TABLE token_scope_use (
    token_id text NOT NULL,
    scope    text NOT NULL,
    day      date NOT NULL,
    PRIMARY KEY (token_id, scope, day)
  );

  CREATE TABLE links (
    hash       text        PRIMARY KEY,
    user_id    integer     NOT NULL,
    purpose    text        NOT NULL CHECK (purpose IN ('confirm', 'password', 'notification', 'sign-in')),
    expires_at timestamptz NOT NULL,
    -- The notification address that the link confirms, sealed; null for other links.
    address    text,
    -- Whether the link is for the first account; each start prints such a link until one was used.
    first      boolean     NOT NULL DEFAULT false
  );
  CREATE INDEX links_by_user ON links (user_id);

  -- Mails with links, which wait here until the mail server has taken them; sealed, because a link is a secret.
  CREATE TABLE mail_outbox (
    id         uuid        PRIMARY KEY,
    sealed     text        NOT NULL,
    user_id    integer,
    attempts   integer     NOT NULL DEFAULT 1,
    due_at     timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- Shows operators for how long mails have been waiting.
    added_at   timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX mail_outbox_due ON mail_outbox (due_at);
  CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id);

  -- Failed attempts of the last minutes, by a hash of what they were made for.
  CREATE TABLE tries (
    key    text        PRIMARY KEY,
    failed integer     NOT NULL,
    since  timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX tries_by_age ON tries (since);

  -- Where an account last signed in to the console; links in messages lead there.
  CREATE TABLE console_address (
    user_id  integer     PRIMARY KEY,
    origin   text        NOT NULL,
    of_admin boolean     NOT NULL,
    used_at  timestamptz NOT NULL DEFAULT now()
  );

  -- Networks from which an account has signed in, by keyed hash, and the failed logins of an account from all others.
  CREATE TABLE known_networks (
    user_id integer     NOT NULL,
    hash    text        NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, hash)
  );
  CREATE INDEX known_networks_by_age ON known_networks (seen_at);
  CREATE TABLE account_guesses (
    key          text        PRIMARY KEY,
    failed       integer     NOT NULL,
    last_at      timestamptz NOT NULL DEFAULT now(),
    paused_until timestamptz
  );
  CREATE INDEX account_guesses_by_age ON account_guesses (last_at);

  -- The secrets of the second factors that the log says are in force.
  CREATE TABLE second_factor (
    factor_id     text        PRIMARY KEY,
    user_id       integer     NOT NULL,
    kind          text        NOT NULL CHECK (kind IN ('totp', 'passkey')),
    -- For authenticator apps only: the secret, sealed with the key of the account, and the last time step of which a code was accepted.
    secret        text,
    last_step     bigint      NOT NULL DEFAULT 0,
    -- For passkeys only.
    credential_id text        UNIQUE,
    public_key    bytea,
    counter       bigint      NOT NULL DEFAULT 0,
    transports    text[]      NOT NULL DEFAULT '{}',
    made_at       timestamptz NOT NULL DEFAULT now(),
    confirmed_at  timestamptz,
    last_used_at  timestamptz
  );
  CREATE INDEX second_factor_by_user ON second_factor (user_id);
  -- Recovery codes are stored as keyed hashes.
  CREATE TABLE recovery_code (
    user_id integer NOT NULL,
    set_id  text    NOT NULL,
    place   integer NOT NULL,
    hash    text    NOT NULL,
    PRIMARY KEY (user_id, set_id, place)
  );
  -- WebAuthn challenges that were answered.
  CREATE TABLE answered_challenge (
    hash       text        PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );

  -- One-time codes with which a sign-in through a provider is exchanged for a token.
  CREATE TABLE sign_in_codes (
    hash             text        PRIMARY KEY,
    user_id          integer     NOT NULL,
    purpose          text        NOT NULL CHECK (purpose IN ('sign-in', 'confirm')),
    binding          text        NOT NULL,
    authenticated_at timestamptz,
    expires_at       timestamptz NOT NULL
  );
  CREATE INDEX sign_in_codes_user ON sign_in_codes (user_id);

  -- What an account has used of a budget in its current window, over all instances. A fillfactor below 100 keeps updates on their page (HOT), since a row in
  -- use changes once a second.
  CREATE TABLE account_use (
    budget  text        COLLATE "C" NOT NULL,
    user_id integer     NOT NULL,
    used    bigint      NOT NULL,
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (budget, user_id)
  ) WITH (fillfactor = 50);
`;
