export const SECURITY_TABLES = `
  -- One key for each data subject; destroying it erases what is sealed with it (crypto-shredding).
  CREATE TABLE subject_keys (
    subject   text        PRIMARY KEY,
    wrapped   bytea,
    made_at   timestamptz NOT NULL DEFAULT now(),
    erased_at timestamptz,
    CHECK ((wrapped IS NULL) = (erased_at IS NOT NULL))
  );

  CREATE TABLE installation_secrets (
    name    text        PRIMARY KEY,
    wrapped bytea       NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
  );

  -- Which key is in use, by fingerprint, so that instances with the old and the new configuration use the same one during a rotation.
  CREATE TABLE installation_key (
    name        text        NOT NULL,
    fingerprint text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('active', 'previous', 'retired')),
    since       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (name, fingerprint)
  );
  CREATE UNIQUE INDEX installation_key_in_use ON installation_key (name, state) WHERE state <> 'retired';
`;
