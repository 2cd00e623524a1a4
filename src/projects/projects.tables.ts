export const PROJECT_TABLES = `
  -- The addressees of pending invitations and offered transfers. A row goes when its invitation ends, and the address with it.
  CREATE TABLE invitation (
    id           text        PRIMARY KEY,
    kind         text        NOT NULL,
    project_id   text        NOT NULL,
    address_hash text,
    address      json,
    user_id      integer,
    token_hash   text        UNIQUE,
    expires_at   timestamptz NOT NULL,
    UNIQUE (project_id, address_hash)
  );
  CREATE INDEX invitation_by_address ON invitation (address_hash);
  CREATE INDEX invitation_by_user ON invitation (user_id);
  CREATE INDEX invitation_by_expiry ON invitation (expires_at);
`;
