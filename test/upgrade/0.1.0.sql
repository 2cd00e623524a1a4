-- CreateLog1700000001000
CREATE TABLE log (
    n               bigint      PRIMARY KEY,
    source_position text        NOT NULL,
    id              uuid        NOT NULL UNIQUE,
    stream          text        COLLATE "C" NOT NULL,
    revision        bigint      NOT NULL,
    type            text        COLLATE "C" NOT NULL,
    version         smallint    NOT NULL,
    scope           text        COLLATE "C" NOT NULL,
    recorded_at     timestamptz NOT NULL,
    data            text        NOT NULL,
    meta            text        NOT NULL,
    UNIQUE (stream, revision),
    CHECK (stream || type || scope !~ '["\\[:cntrl:]]')
  );
CREATE INDEX log_by_scope ON log (scope, n);
CREATE FUNCTION append_events(
    streams text[], expected bigint[], sizes int[],
    owners int[], revisions bigint[], ids uuid[], types text[], versions smallint[], scopes text[], data text, meta text,
    OUT head bigint, OUT actual bigint[], OUT repeated bigint[]
  ) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    moment timestamptz;
    datas text[] := string_to_array(data, E'\n');
    metas text[] := string_to_array(meta, E'\n');
  BEGIN
    PERFORM pg_advisory_xact_lock(727002);

    SELECT l.n, l.recorded_at INTO head, moment FROM log l ORDER BY l.n DESC LIMIT 1;
    head := coalesce(head, -1);
    moment := greatest(clock_timestamp(), moment + interval '1 microsecond');

    actual := ARRAY(
      SELECT coalesce((SELECT l.revision FROM log l WHERE l.stream = asked.stream ORDER BY l.revision DESC LIMIT 1), -1)
      FROM unnest(streams) WITH ORDINALITY AS asked(stream, place) ORDER BY asked.place);

    IF actual = expected THEN
      actual := NULL;
      INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
      SELECT head + i, (head + i)::text, ids[i], streams[owners[i]], revisions[i], types[i], versions[i], scopes[i],
             moment + (i - 1) * interval '1 microsecond', datas[i], metas[i]
      FROM generate_subscripts(ids, 1) AS i;
      RETURN;
    END IF;

    repeated := ARRAY(
      SELECT (SELECT max(l.n)
              FROM generate_subscripts(ids, 1) AS i
              JOIN log l ON l.stream = streams[asked.place] AND l.revision = revisions[i] AND l.id = ids[i]
              WHERE owners[i] = asked.place AND actual[asked.place] > expected[asked.place]
              HAVING count(*) = sizes[asked.place])
      FROM generate_subscripts(streams, 1) AS asked(place) ORDER BY asked.place);

    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    SELECT head + step, (head + step)::text, ids[i], streams[owners[i]], revisions[i], types[i], versions[i], scopes[i],
           moment + (step - 1) * interval '1 microsecond', datas[i], metas[i]
    FROM (SELECT i, row_number() OVER (ORDER BY i) AS step
          FROM generate_subscripts(ids, 1) AS i
          WHERE actual[owners[i]] = expected[owners[i]]) AS accepted;
  END $$;
CREATE FUNCTION append_one(
    to_stream text, expected bigint, event uuid, of_type text, of_version smallint, in_scope text, data text, meta text
  ) RETURNS bigint LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    head bigint;
    moment timestamptz;
    actual bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(727002);

    SELECT l.n, l.recorded_at INTO head, moment FROM log l ORDER BY l.n DESC LIMIT 1;
    SELECT l.revision INTO actual FROM log l WHERE l.stream = to_stream ORDER BY l.revision DESC LIMIT 1;
    IF coalesce(actual, -1) <> expected THEN RETURN NULL; END IF;

    head := coalesce(head, -1) + 1;
    moment := greatest(clock_timestamp(), moment + interval '1 microsecond');
    INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
    VALUES (head, head::text, event, to_stream, expected + 1, of_type, of_version, in_scope, moment, data, meta);
    RETURN head;
  END $$;
CREATE FUNCTION log_at(instant timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
  DECLARE
    low bigint := -1;
    high bigint := coalesce((SELECT max(l.n) FROM log l), -1);
    middle bigint;
  BEGIN
    WHILE low < high LOOP
      middle := (low + high + 1) / 2;
      IF (SELECT l.recorded_at FROM log l WHERE l.n = middle) <= instant THEN low := middle; ELSE high := middle - 1; END IF;
    END LOOP;
    RETURN low;
  END $$;

-- CreateBase1700000002000
CREATE TABLE lease (
    name          text        PRIMARY KEY,
    holder        text,
    epoch         bigint      NOT NULL,
    heartbeat     timestamptz NOT NULL,
    pid           int         NOT NULL,
    backend_start timestamptz,
    UNIQUE (name, epoch)
  ) WITH (fillfactor = 50);
CREATE TABLE claim (
    kind    text        NOT NULL,
    key     text        NOT NULL,
    owner   text,
    number  bigint,
    holder  text        NOT NULL,
    expires timestamptz,
    PRIMARY KEY (kind, key)
  );
CREATE UNIQUE INDEX claim_by_number ON claim (kind, owner, number) WHERE number IS NOT NULL;
CREATE INDEX claim_by_holder ON claim (kind, holder);
CREATE INDEX claim_by_expiry ON claim (expires) WHERE expires IS NOT NULL;
CREATE FUNCTION claim_slot(of_kind text, of_owner text, bound int, by text, seconds float8) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    result text;
  BEGIN
    PERFORM pg_advisory_xact_lock(727003, hashtext(of_kind || ' ' || of_owner));

    UPDATE claim SET expires = CASE WHEN expires IS NOT NULL THEN until END
    WHERE kind = of_kind AND owner = of_owner AND holder = by
    RETURNING key INTO result;
    IF result IS NOT NULL THEN RETURN result; END IF;

    INSERT INTO claim (kind, key, owner, number, holder, expires)
    SELECT of_kind, of_owner || '/' || place, of_owner, place, by, until
    FROM generate_series(1, least(bound, 1 + (SELECT count(*) FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner))) AS place
    WHERE NOT EXISTS (SELECT FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner AND c.number = place)
      -- Slots above a lowered bound still count.
      AND (bound IS NULL OR bound > (SELECT count(*) FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner))
    ORDER BY place LIMIT 1
    RETURNING key INTO result;
    RETURN result;
  END $$;
CREATE FUNCTION claim_next(of_kind text, by text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    result bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(727003, hashtext(of_kind));

    SELECT number INTO result FROM claim WHERE kind = of_kind AND holder = by;
    IF result IS NOT NULL THEN RETURN result; END IF;

    SELECT coalesce(max(number), 0) + 1 INTO result FROM claim WHERE kind = of_kind AND owner = '';
    INSERT INTO claim (kind, key, owner, number, holder) VALUES (of_kind, result::text, '', result, by);
    RETURN result;
  END $$;

-- CreateProjections1700000003000
CREATE TABLE projection (
        schema     text        PRIMARY KEY,
        name       text        NOT NULL,
        version    text        NOT NULL,
        state      text        NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'live', 'failed')),
        paused     boolean     NOT NULL DEFAULT false,
        rebuild    boolean     NOT NULL DEFAULT false,
        n          bigint      NOT NULL DEFAULT -1,
        event_id   uuid,
        moved_at   timestamptz NOT NULL DEFAULT now(),
        total      bigint,
        error      text,
        created_at timestamptz NOT NULL DEFAULT now(),
        live_at    timestamptz
      ) WITH (fillfactor = 50);
CREATE TABLE projection_parked (
        schema     text        NOT NULL REFERENCES projection ON UPDATE CASCADE ON DELETE CASCADE,
        view       text        NOT NULL,
        key        text        NOT NULL,
        scope      text        NOT NULL,
        n          bigint      NOT NULL,
        event_id   uuid        NOT NULL,
        type       text        NOT NULL,
        error      text        NOT NULL,
        attempts   integer     NOT NULL DEFAULT 1,
        retry      boolean     NOT NULL DEFAULT false,
        parked_at  timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (schema, view, key)
      );

-- CreateAccounts1700000004000
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
CREATE TABLE passwords (
        user_id    integer     PRIMARY KEY,
        hash       text        NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now()
      );
CREATE TABLE tokens (
        token_id     text        PRIMARY KEY,
        user_id      integer     NOT NULL,
        kind         text        NOT NULL CHECK (kind IN ('login', 'personal')),
        issued_at    timestamptz NOT NULL DEFAULT now(),
        expires_at   timestamptz NOT NULL,
        last_used_at timestamptz
      );
CREATE INDEX tokens_by_user ON tokens (user_id);
CREATE INDEX tokens_by_expiry ON tokens (expires_at);
CREATE TABLE links (
        hash       text        PRIMARY KEY,
        user_id    integer     NOT NULL,
        purpose    text        NOT NULL CHECK (purpose IN ('confirm', 'password')),
        expires_at timestamptz NOT NULL
      );
CREATE INDEX links_by_user ON links (user_id);
CREATE TABLE tries (
        key    text        PRIMARY KEY,
        failed integer     NOT NULL,
        since  timestamptz NOT NULL DEFAULT now()
      );
CREATE INDEX tries_by_age ON tries (since);
CREATE TABLE erasures (
        user_id  integer     PRIMARY KEY,
        begun_at timestamptz NOT NULL DEFAULT now(),
        done_at  timestamptz
      );

-- CreateObservations1700000005000
CREATE TABLE sample_flush (
          id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          slot       smallint    NOT NULL,
          first_at   bigint      NOT NULL,
          last_at    bigint      NOT NULL,
          flushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          packed     bytea       NOT NULL
        ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 8160);
CREATE INDEX sample_flush_by_slot ON sample_flush (slot, id);
CREATE TABLE sample_hour (
          project_id bytea   NOT NULL,
          hour       integer NOT NULL,
          packed     bytea   NOT NULL,
          PRIMARY KEY (project_id, hour)
        ) PARTITION BY RANGE (hour);
ALTER TABLE sample_flush ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE sample_hour ALTER COLUMN packed SET STORAGE EXTERNAL;
CREATE TABLE run_flush (
          id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          slot       smallint    NOT NULL,
          first_at   bigint      NOT NULL,
          last_at    bigint      NOT NULL,
          flushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          packed     bytea       NOT NULL
        ) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 8160);
CREATE INDEX run_flush_by_slot ON run_flush (slot, id);
CREATE TABLE run_hour (
          project_id bytea   NOT NULL,
          hour       integer NOT NULL,
          packed     bytea   NOT NULL,
          PRIMARY KEY (project_id, hour)
        ) PARTITION BY RANGE (hour);
ALTER TABLE run_flush ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE run_hour ALTER COLUMN packed SET STORAGE EXTERNAL;
CREATE TABLE closed_book (
        project_id bytea   NOT NULL,
        day        date    NOT NULL,
        sha256     bytea   NOT NULL,
        buckets    bytea,
        PRIMARY KEY (project_id, day)
      );
ALTER TABLE closed_book ALTER COLUMN buckets SET STORAGE EXTERNAL;
CREATE TABLE latest_run (
        check_id   bytea  PRIMARY KEY,
        project_id bytea  NOT NULL,
        at         bigint NOT NULL,
        whole      bytea  NOT NULL
      ) WITH (fillfactor = 70);
CREATE INDEX latest_run_by_project ON latest_run (project_id);
CREATE TABLE job_run (
        job_id   bytea  NOT NULL,
        check_id bytea  NOT NULL,
        at       bigint NOT NULL,
        whole    bytea  NOT NULL,
        PRIMARY KEY (job_id, check_id)
      );
CREATE INDEX job_run_by_age ON job_run (at);
CREATE TABLE latest_look (
        project_id bytea  NOT NULL,
        kind       text   NOT NULL,
        at         bigint NOT NULL,
        url        text   NOT NULL,
        final_url  text,
        PRIMARY KEY (project_id, kind)
      ) WITH (fillfactor = 70);
CREATE TABLE kept_page (
        sha256  bytea       PRIMARY KEY,
        kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        size    integer     NOT NULL,
        packed  bytea       NOT NULL
      );
ALTER TABLE kept_page ALTER COLUMN packed SET STORAGE EXTERNAL;
CREATE INDEX kept_page_by_age ON kept_page (kept_at);

-- CreateIdempotency1700000006000
CREATE TABLE idempotency (
        key          uuid        PRIMARY KEY,
        generation   integer     NOT NULL DEFAULT 1,
        request_hash text        NOT NULL,
        begun_at     timestamptz NOT NULL DEFAULT now(),
        status       smallint,
        content_type text,
        body         text
      );
CREATE INDEX idempotency_by_age ON idempotency (begun_at);

-- CreateNotifications1700000008000
CREATE TABLE notifier_checkpoint (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        n         bigint  NOT NULL
      );
CREATE TABLE notification_episode (
        subject    text   PRIMARY KEY,
        project_id text   NOT NULL,
        episode    uuid   NOT NULL
      );
CREATE INDEX notification_episode_by_project ON notification_episode (project_id);
CREATE TABLE notification_message (
        id          uuid        PRIMARY KEY,
        project_id  text        NOT NULL,
        user_id     integer     NOT NULL,
        channel     text        NOT NULL,
        kind        text        NOT NULL,
        seq         bigint      NOT NULL,
        state       text        NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'failed')),
        created_at  timestamptz NOT NULL,
        next_try    timestamptz NOT NULL,
        give_up_at  timestamptz NOT NULL,
        attempts    integer     NOT NULL DEFAULT 0,
        last_answer text,
        finished_at timestamptz
      );
CREATE INDEX notification_message_due ON notification_message (next_try) WHERE state = 'due';
CREATE INDEX notification_message_of_user ON notification_message (user_id, created_at DESC);
CREATE INDEX notification_message_recent ON notification_message (user_id, channel, project_id, kind, created_at DESC);
CREATE TABLE notification_intent (
        id         uuid        PRIMARY KEY,
        cause_id   uuid        NOT NULL,
        cause_n    bigint      NOT NULL,
        correlation_id uuid    NOT NULL,
        episode    uuid        NOT NULL,
        project_id text        NOT NULL,
        user_id    integer     NOT NULL,
        channel    text        NOT NULL,
        kind       text        NOT NULL,
        facts      jsonb       NOT NULL,
        due_at     timestamptz NOT NULL,
        state      text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'bundled', 'cancelled')),
        -- A problem whose episode has ended: its recipients get no further messages about it.
        over       boolean     NOT NULL DEFAULT false,
        message_id uuid        REFERENCES notification_message (id) ON DELETE CASCADE,
        UNIQUE (cause_id, episode, user_id, channel)
      );
CREATE INDEX notification_intent_waiting ON notification_intent (due_at) WHERE state = 'waiting';
CREATE INDEX notification_intent_of_episode ON notification_intent (episode);
CREATE INDEX notification_intent_of_message ON notification_intent (message_id);
CREATE INDEX notification_intent_open ON notification_intent (project_id, user_id) WHERE kind = 'problem' AND NOT over;
CREATE TABLE report_plan (
        user_id   integer     PRIMARY KEY,
        -- The Monday of the last report, written or skipped; null while no report is enabled.
        last_week date,
        look_at   timestamptz NOT NULL,
        -- Not before the read models have reached this position, which holds the event that changed the plan.
        seen_n    bigint      NOT NULL
      );
CREATE INDEX report_plan_by_time ON report_plan (look_at);

-- CreateLedger1700000009000
CREATE TABLE ledger_state (
        singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        origin     text    NOT NULL,
        size       bigint  NOT NULL DEFAULT 0,
        generation integer NOT NULL DEFAULT 0,
        stopped    text
      );
CREATE TABLE ledger_tile (
        level      smallint NOT NULL,
        tile_index bigint   NOT NULL,
        hashes     bytea    NOT NULL,
        PRIMARY KEY (level, tile_index)
      );
ALTER TABLE ledger_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE TABLE ledger_checkpoint (
        number       bigint      PRIMARY KEY,
        generation   integer     NOT NULL,
        size         bigint      NOT NULL,
        root         bytea       NOT NULL,
        note         text        NOT NULL,
        signed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        witnessed_at timestamptz
      );
CREATE TABLE ledger_key (
        number       integer     PRIMARY KEY,
        verifier_key text        NOT NULL UNIQUE,
        wrapped      bytea,
        added_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        retired_at   timestamptz
      );

-- CreateKeptAnswers1700000010000
CREATE TABLE kept_answer (
        check_id bytea  NOT NULL,
        at       bigint NOT NULL,
        page     bytea  NOT NULL,
        head     bytea  NOT NULL,
        PRIMARY KEY (check_id, at)
      );
ALTER TABLE kept_answer ALTER COLUMN head SET STORAGE EXTERNAL;
CREATE INDEX kept_answer_by_age ON kept_answer (at);

-- What was done
CREATE TABLE migrations (id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL);
INSERT INTO migrations ("timestamp", name) VALUES (1700000001000, 'CreateLog1700000001000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000002000, 'CreateBase1700000002000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000003000, 'CreateProjections1700000003000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000004000, 'CreateAccounts1700000004000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000005000, 'CreateObservations1700000005000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000006000, 'CreateIdempotency1700000006000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000008000, 'CreateNotifications1700000008000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000009000, 'CreateLedger1700000009000');
INSERT INTO migrations ("timestamp", name) VALUES (1700000010000, 'CreateKeptAnswers1700000010000');

-- Rows
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('0', '0', 'bda6db7b-1a80-5ba3-b224-11d0cce72b43', 'account-1', '0', 'AccountOpened', '1', 'account-1', '2026-11-21 15:05:44.824327+00', '{"userId":1,"email":{"subject":"account-1","sealed":"AUlc_idk8obRv1JLlUBgFRJ2nAhKUFay9OSOBY4WeaOGwZhHBaarZeZwP6Jb3S4"},"name":{"subject":"account-1","sealed":"AY6Xab1QZNz8CTIUl99UL2bbA0LjhkcTbGnF9hb2QI30hYpddAEaaoZ8"},"apiKey":{"subject":"account-1","sealed":"AQdOMCX152dSL6juM4gpMGoL4yoGOifE60YD0XhISC_R1OT8b7LSqd06bPBML1wbtPQa-OyNZsB8y-fO8A"},"plan":"unlimited","systemRole":"admin","confirmed":true,"by":"installation"}', '{"actor":{"kind":"cli","id":"installation"},"correlationId":"bda6db7b-1a80-5ba3-b224-11d0cce72b43","causationId":null,"commandId":"a7a2c8d6-2072-5641-a73b-b287a823b8a2","occurredAt":"2026-11-21T15:05:44.619Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('1', '1', '0de95c8e-d3a4-5c4e-965d-53eefb1a9470', 'account-2', '0', 'AccountOpened', '1', 'account-2', '2026-11-21 15:05:45.210764+00', '{"userId":2,"email":{"subject":"account-2","sealed":"AWlOULiXVIZbOU11fBoglJbWPQW_xhkuDNfcqwvk0NxE2nlxQlmQ2DsRC_i8NJjqs2jgFiXtwiz7PQ"},"name":{"subject":"account-2","sealed":"AQvgbAkQQQSDWAcNZSdrN6tjFbIuQjj6t82I_Y8Xmtc"},"apiKey":{"subject":"account-2","sealed":"AV_NqwxT4y2texDsNxVm45quuTfgbzm6-eCjffybJQljRszROsPH5Dl5M7ryEpPE74jkB5XIzZLP-MYfZg"},"plan":"basic","systemRole":null,"confirmed":false,"by":"registration"}', '{"actor":{"kind":"user","id":"2"},"correlationId":"0de95c8e-d3a4-5c4e-965d-53eefb1a9470","causationId":null,"commandId":"e5cfda27-19ef-4fc2-93a8-0874b2ebc627","occurredAt":"2026-11-21T15:05:45.075Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('10', '10', '149782f6-475e-5996-8add-c92b24bd76bc', 'account-2', '2', 'NameChanged', '1', 'account-2', '2026-11-21 15:05:46.672535+00', '{"from":{"subject":"account-2","sealed":"AQvgbAkQQQSDWAcNZSdrN6tjFbIuQjj6t82I_Y8Xmtc"},"to":{"subject":"account-2","sealed":"ATy8hNoGsyHF1gk-FSvjNMsFZFC27TpJuEQpgtjEmH001r4fQJp7wMo"}}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"149782f6-475e-5996-8add-c92b24bd76bc","causationId":null,"commandId":"c515771f-612f-4096-9a80-268fafbaacc8","occurredAt":"2026-11-21T15:05:46.667Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('11', '11', '14d02f38-c85c-5d50-8d01-b65ee604151b', 'project-fbf615aaf7d60f55d95293b8', '0', 'ProjectCreated', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:46.754584+00', '{"projectId":"fbf615aaf7d60f55d95293b8","payerId":2,"settings":{"title":"127.0.0.1:41035","url":"http://127.0.0.1:41035","period":"30 minutes","uptimeUrl":"","uptimePeriod":"60","location":"eu","checkDefaultErrors":true,"userAgent":"Mozilla/5.0 (compatible; Watchledger/1.0; site monitoring)","timeout":3,"delay":50,"sslAlertPeriod":14,"httpsRedirectEnabled":false,"webPushEnabled":false,"securityMonitoringEnabled":false},"apiKey":{"subject":"project-fbf615aaf7d60f55d95293b8","sealed":"Af5We1Z1Lvn2KEsY2vxcINhzqMuKsCETbSV29yiWcfT0fF-ukSwRyXxpA9C2gNRNyK_jCTs"},"preset":false}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"14d02f38-c85c-5d50-8d01-b65ee604151b","causationId":null,"commandId":"3d29761b-39dd-47dc-ab3e-75a83dde03ae","occurredAt":"2026-11-21T15:05:46.724Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('12', '12', 'cb24a35b-cb91-5703-a521-14e428f3155d', 'project-fbf615aaf7d60f55d95293b8', '1', 'HomepageInspected', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:46.812064+00', '{"isWordPress":false}', '{"actor":{"kind":"checker","id":"eu"},"correlationId":"cb24a35b-cb91-5703-a521-14e428f3155d","causationId":null,"commandId":"3f0e2659-6610-5a2a-8362-ffe399af2a56","occurredAt":"2026-11-21T15:05:46.805Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('13', '13', 'b2744842-9c6c-5379-90bc-7c72168147e0', 'project-fbf615aaf7d60f55d95293b8', '2', 'MemberAdded', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:46.976092+00', '{"userId":3,"role":"6"}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"b2744842-9c6c-5379-90bc-7c72168147e0","causationId":null,"commandId":"a866e7ec-3b65-4c46-b6a4-4510d095224c","occurredAt":"2026-11-21T15:05:46.943Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('14', '14', 'e8646492-898b-5b8b-ae15-a18bd683057b', 'project-fbf615aaf7d60f55d95293b8', '3', 'ProjectRenamed', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.087778+00', E'{"from":"127.0.0.1:41035","to":"A shop with \\"quotes\\", \\\\ and ümläuts"}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"e8646492-898b-5b8b-ae15-a18bd683057b","causationId":null,"commandId":"498ac475-947e-45d9-b503-0b542d22e4e0","occurredAt":"2026-11-21T15:05:47.079Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('15', '15', '5e2fd50f-5678-5ca7-96e8-24fe2a4caa4c', 'project-fbf615aaf7d60f55d95293b8', '4', 'AreaCreated', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.16395+00', '{"areaId":"be7e85df16bb0e87d0b941ca","settings":{"name":"Pages","public":true,"rules":[],"form":null,"httpAuth":null,"period":"true","headers":null}}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"5e2fd50f-5678-5ca7-96e8-24fe2a4caa4c","causationId":null,"commandId":"2ae41d2b-9972-4145-a71f-c72875dc24d6","occurredAt":"2026-11-21T15:05:47.156Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('16', '16', '3e567e62-5c1d-5cd0-8472-7537054de250', 'project-fbf615aaf7d60f55d95293b8', '5', 'CheckCreated', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.283415+00', '{"checkId":"c605cdbde91731fe09ddd16e","areaId":"be7e85df16bb0e87d0b941ca","settings":{"name":"Front page","url":"http://127.0.0.1:41035/","enabled":true,"notice":"","type":"simple","rules":[{"type":"text","op":"sub","val":"Welcome","origin":"","templateId":"","order":0}],"options":{"2":false,"6":false,"g":false,"l":false,"w":null},"template":{"id":"","vars":[]}}}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"3e567e62-5c1d-5cd0-8472-7537054de250","causationId":null,"commandId":"c9643910-f85c-45b6-abb9-3651a0e00188","occurredAt":"2026-11-21T15:05:47.280Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('17', '17', 'bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6', 'job-f1e5b201e0b504431dab92ed', '0', 'JobRequested', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.492253+00', '{"jobId":"f1e5b201e0b504431dab92ed","projectId":"fbf615aaf7d60f55d95293b8","areaId":"be7e85df16bb0e87d0b941ca","areaIds":["be7e85df16bb0e87d0b941ca"],"checkIds":["c605cdbde91731fe09ddd16e"],"mode":0}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6","causationId":null,"commandId":"d7b2724b-3d15-41c5-a4a0-2f8aeac8a7c7","occurredAt":"2026-11-21T15:05:47.484Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('18', '18', '53fb0ba5-1007-5054-9066-8f2f04b9b265', 'account-2', '3', 'TokenIssued', '1', 'account-2', '2026-11-21 15:05:47.624028+00', '{"tokenId":"60502d5f81bbc2a3f5f0cc5c","kind":"personal","name":{"subject":"account-2","sealed":"AYSwmp_i5lPVVervShkGq8qsd3-0qjXowGK3ZbEbu6z_xv8V"},"expiresAt":"2027-11-21T15:05:47.579Z"}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"53fb0ba5-1007-5054-9066-8f2f04b9b265","causationId":null,"commandId":"c61d925a-d88c-4bae-bf4e-81346b5524a1","occurredAt":"2026-11-21T15:05:47.579Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('19', '19', '51a0e746-a31b-5830-995b-0e6b539087df', 'verdict-c605cdbde91731fe09ddd16e', '0', 'CheckPassed', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.636623+00', '{"checkId":"c605cdbde91731fe09ddd16e","since":"2026-11-21T15:05:47.497Z","evidence":{"runId":"905844c2-75da-5af4-8ab5-4f24ac4bed92","url":"http://127.0.0.1:41035/","at":"2026-11-21T15:05:47.497Z","location":"eu","httpStatus":200,"milliseconds":12,"page":"34ee05ec773061d88d886b0d50567134f4317ab2ef5b2d6eb8bfd891898cfd38"}}', '{"actor":{"kind":"checker","id":"eu"},"correlationId":"bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6","causationId":"bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6","commandId":"905844c2-75da-5af4-8ab5-4f24ac4bed92","occurredAt":"2026-11-21T15:05:47.575Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('2', '2', 'de2aa7ec-2df3-57c5-af83-7e7d1dcec68e', 'account-2', '1', 'ConfirmationOffered', '1', 'account-2', '2026-11-21 15:05:45.248536+00', '{"expiresAt":"2026-11-24T15:05:45.244Z"}', '{"actor":{"kind":"user","id":"2"},"correlationId":"de2aa7ec-2df3-57c5-af83-7e7d1dcec68e","causationId":null,"commandId":"e5cfda27-19ef-4fc2-93a8-0874b2ebc627","occurredAt":"2026-11-21T15:05:45.075Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('20', '20', '31acfe99-6af9-5617-b706-4d8a6101d61a', 'account-2', '4', 'ChannelSet', '1', 'account-2', '2026-11-21 15:05:47.743238+00', '{"channel":"slack","values":{"url":{"subject":"account-2","sealed":"ARBjDERUxAZcpmHmF_ur0htUEqubqg8Tp5Ll8umlYIKV79qcnv8gB-r9s6al3S7YGeRyNiywlxV9"}}}', '{"actor":{"kind":"user","id":"2","tokenId":"b1647013686be8842c3f9b37"},"correlationId":"31acfe99-6af9-5617-b706-4d8a6101d61a","causationId":null,"commandId":"10a5c010-34a1-4a36-9540-22780faa2d09","occurredAt":"2026-11-21T15:05:47.722Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('21', '21', 'a6035fb0-f823-589f-9bb6-b28529ec28b3', 'job-f1e5b201e0b504431dab92ed', '1', 'JobEnded', '1', 'project-fbf615aaf7d60f55d95293b8', '2026-11-21 15:05:47.776285+00', '{"jobId":"f1e5b201e0b504431dab92ed","startedAt":"2026-11-21T15:05:47.495Z","milliseconds":280,"total":1,"failed":0,"because":"done"}', '{"actor":{"kind":"checker","id":"checker"},"correlationId":"bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6","causationId":"bec94f13-c6c0-5dc5-93e2-97a26c7bc8c6","commandId":"68039716-8a7d-5132-9a14-f905f5c20d61","occurredAt":"2026-11-21T15:05:47.775Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('22', '22', '4e744d6a-aaca-56a0-9962-4abb82af91ba', 'account-4', '2', 'AccountErased', '1', 'account-4', '2026-11-21 15:05:47.875298+00', '{"userId":4}', '{"actor":{"kind":"user","id":"4","tokenId":"a8d86b056c5a617045a0b2a1"},"correlationId":"4e744d6a-aaca-56a0-9962-4abb82af91ba","causationId":null,"commandId":"3d18ec27-3f44-4c83-8934-34e2bc0c4f3a","occurredAt":"2026-11-21T15:05:47.822Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('3', '3', 'e3f9f22e-5d40-5e12-b26f-3fb6d38c419d', 'login-b1647013686be8842c3f9b37', '0', 'TokenIssued', '1', 'account-2', '2026-11-21 15:05:45.704686+00', '{"tokenId":"b1647013686be8842c3f9b37","kind":"login","name":null,"expiresAt":"2026-11-21T16:05:45.481Z"}', '{"actor":{"kind":"user","id":"2"},"correlationId":"e3f9f22e-5d40-5e12-b26f-3fb6d38c419d","causationId":null,"commandId":"27892a61-22f5-4d4d-9a9f-794a428a57e4","occurredAt":"2026-11-21T15:05:45.481Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('4', '4', '1da59109-3e7a-557b-80ed-a624de4ce640', 'account-3', '0', 'AccountOpened', '1', 'account-3', '2026-11-21 15:05:46.121417+00', '{"userId":3,"email":{"subject":"account-3","sealed":"Aa997cIeNqUsSTUDR2eYj6KBEq7pM2rJNXDNC9T4KE1RfRE4fGUX-To5_LZQkZy-prZs28763GtbwmtR"},"name":{"subject":"account-3","sealed":"AZj6aPyde8hvHC9TasOX26ygawxoaivrEkSPFuLQbY1dQg"},"apiKey":{"subject":"account-3","sealed":"AdEtW3ySxz2jmHInzPk2c9SVEUSZrtYXCw6TI_71t1QaIYpZuPknBUIofSpyi5yyfZkG9cY7bTiCX1IeMA"},"plan":"basic","systemRole":null,"confirmed":false,"by":"registration"}', '{"actor":{"kind":"user","id":"3"},"correlationId":"1da59109-3e7a-557b-80ed-a624de4ce640","causationId":null,"commandId":"0367d40d-2da9-4ef7-878b-cdf16a2a3fb5","occurredAt":"2026-11-21T15:05:45.792Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('5', '5', 'c27b9426-4499-5fc3-9370-f6eb8f16e9a3', 'account-3', '1', 'ConfirmationOffered', '1', 'account-3', '2026-11-21 15:05:46.159288+00', '{"expiresAt":"2026-11-24T15:05:46.138Z"}', '{"actor":{"kind":"user","id":"3"},"correlationId":"c27b9426-4499-5fc3-9370-f6eb8f16e9a3","causationId":null,"commandId":"0367d40d-2da9-4ef7-878b-cdf16a2a3fb5","occurredAt":"2026-11-21T15:05:45.792Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('6', '6', '29eadec2-763e-5f3b-b0cf-4ba6550143b4', 'login-fb3140e8d8920967024ed132', '0', 'TokenIssued', '1', 'account-3', '2026-11-21 15:05:46.316259+00', '{"tokenId":"fb3140e8d8920967024ed132","kind":"login","name":null,"expiresAt":"2026-11-21T16:05:46.234Z"}', '{"actor":{"kind":"user","id":"3"},"correlationId":"29eadec2-763e-5f3b-b0cf-4ba6550143b4","causationId":null,"commandId":"0aca682b-ffdf-4bb6-a15e-62e7f8710f02","occurredAt":"2026-11-21T15:05:46.234Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('7', '7', '0cce4874-af55-54d5-8b15-40a6d7618279', 'account-4', '0', 'AccountOpened', '1', 'account-4', '2026-11-21 15:05:46.403308+00', '{"userId":4,"email":{"subject":"account-4","sealed":"AZHlnJU16j4afbZVBNOZRQ0WKBpdp7SO_aG5GKVsRlXf17iIEJfFzvNBtV7mjDteHrkE9O35bzlzPIE"},"name":{"subject":"account-4","sealed":"AbX4rar-tIxC-kGMnkb8UTKwRLcLZy0r16_BDKDQX7xb"},"apiKey":{"subject":"account-4","sealed":"AYk4Whehi1nfrBKIUrSSOrm3hHjKxJBTk2M-mKemMmDSNDXDIXnrnFaTiAb3rpsgGMbVt25Lq7b1WFg4sw"},"plan":"basic","systemRole":null,"confirmed":false,"by":"registration"}', '{"actor":{"kind":"user","id":"4"},"correlationId":"0cce4874-af55-54d5-8b15-40a6d7618279","causationId":null,"commandId":"e6a72836-7553-4002-9692-136cd4e66278","occurredAt":"2026-11-21T15:05:46.348Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('8', '8', 'b1926db0-3f9c-5424-a650-d94e78cf74a2', 'account-4', '1', 'ConfirmationOffered', '1', 'account-4', '2026-11-21 15:05:46.41844+00', '{"expiresAt":"2026-11-24T15:05:46.417Z"}', '{"actor":{"kind":"user","id":"4"},"correlationId":"b1926db0-3f9c-5424-a650-d94e78cf74a2","causationId":null,"commandId":"e6a72836-7553-4002-9692-136cd4e66278","occurredAt":"2026-11-21T15:05:46.348Z"}');
INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta) OVERRIDING SYSTEM VALUE VALUES ('9', '9', '6e31388e-2f09-5336-a9ca-018f482bbde0', 'login-a8d86b056c5a617045a0b2a1', '0', 'TokenIssued', '1', 'account-4', '2026-11-21 15:05:46.612925+00', '{"tokenId":"a8d86b056c5a617045a0b2a1","kind":"login","name":null,"expiresAt":"2026-11-21T16:05:46.450Z"}', '{"actor":{"kind":"user","id":"4"},"correlationId":"6e31388e-2f09-5336-a9ca-018f482bbde0","causationId":null,"commandId":"9b01185f-e671-4795-ad65-062b281ce67a","occurredAt":"2026-11-21T15:05:46.450Z"}');
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('email', '538cdebb4b219f2de9a79bee66aca9d1e2b936bfb641742a27b6e8a0b6f7e708', NULL, NULL, 'account-3', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('email', '656f720ccf439b0cef43da74b0d0a7227ec35c5e9d28a8ac711f2735e8702aaf', NULL, NULL, 'account-1', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('email', 'bf25ed5b35cb1a1d8d0f49a3cdf5064dde961c941d112f585522259cc90995b4', NULL, NULL, 'account-2', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('first-account', 'installation', NULL, NULL, 'installation', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('project-slot', '2/1', '2', '1', 'fbf615aaf7d60f55d95293b8', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('user-id', '1', '', '1', 'a7a2c8d6-2072-5641-a73b-b287a823b8a2', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('user-id', '2', '', '2', 'e5cfda27-19ef-4fc2-93a8-0874b2ebc627', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('user-id', '3', '', '3', '0367d40d-2da9-4ef7-878b-cdf16a2a3fb5', NULL);
INSERT INTO claim (kind, key, owner, number, holder, expires) OVERRIDING SYSTEM VALUE VALUES ('user-id', '4', '', '4', 'e6a72836-7553-4002-9692-136cd4e66278', NULL);
INSERT INTO ledger_state (singleton, origin, size, generation, stopped) OVERRIDING SYSTEM VALUE VALUES ('true', 'watchledger-0ae47411acf1/api/ledger', '23', '0', NULL);
INSERT INTO ledger_tile (level, tile_index, hashes) OVERRIDING SYSTEM VALUE VALUES ('0', '0', E'\\x0a78a26357dc118d5c87691f694fac1e5e03f4797c5464b5bd6660d59d9fa2f0e5353a56afc160f873d314ceafc98569e93de13f1dec27027bd6ad0cc9748979daf1b7ff35c2366bfb61f0e6a8a64810504da120a68cee7f455ddbd5803738f57cb214bfdc7996c105dd90cf1a514111df1fa845e993502286fa2616fe7f03c3af829323d2def1ea6784c8ce5572a7a55eb2088814ac5cb292fbaa2c75bcf6d2fe7e7a33ab76e16739cff2faa9e8bb16655901314923ad9139d08be27c6f6cffcdf6182cf98d1c9d7fac0ab6df4fee5ddb283fb65ec574a4998cf770b90084a38f4f5e5bc66a49035e4cba3ec6ad0724490678b594cb2904d2a2b4b7f1ff5fc36e0a0da6fd5227854d285ed9834bca14b912cc5f9752db40c8f545836cd1c67274dab0eb173d2db89442a933aa5ee93ce7588c8dbfef6db376a2c9c4ef686ee6de48822bd5ecc79a4aacf3788721daf9c7a04e67ec7544eaf511a01d861234bb5af1f81371758f45c5fae6d37ad13dd534d8bbf0b1c085ba45726bd4382766b8be915df22f141e6f8e971f851af19284794dd7d92ce3be46fb28d42392e54ec49b70f29bc76f3a538b83b2e825164d635da4302a2d9e8606fb42e9b4efb4145580b2ff32ce2bdcee46c4092e7510928f0d4520ab47728385281570e33ebbb022835d19119e8682590c2fa7d232ab168e79cb48ffb6b12cbf9170ef187afa92f4bc709e1eda23eb52880b13f112d9ac4d8de51e09c94792c277989ce335cb882a47370071f88366a30be04682c8706f37c95198b93b5c3eb9e505be3394be68eeace7dad30dfc4672ed39205e36736fd72c5ca2da58960d668af6ff130a3634f7ca3bf27a2d36a04b7d09fb5f1fdd288dfca6b5ca87da6bfccb650aec6777d827e72724f01304a3de000a7d7a07f3721c81c92cb132b332bf2209e3d69b93f724b7958681b18896fb400b35966981b84dc8c87a18591afa6ec62efc23adf6036101ff3e8e5bceac900ff98a7069252e81504263874f625a919ded2341ed76e015');
INSERT INTO ledger_checkpoint (number, generation, size, root, note, signed_at, witnessed_at) OVERRIDING SYSTEM VALUE VALUES ('1', '0', '3', E'\\xc060e4b85b3721d9685583e1294235518d052a77ce6e9dbafa23e73a7c99b6f0', 'watchledger-0ae47411acf1/api/ledger
3
wGDkuFs3IdloVYPhKUI1UY0FKnfObp26+iPnOnyZtvA=

— watchledger-0ae47411acf1/api/ledger RUYcmssJNscIvQSuoS/R5BUK3QDN3t5YgyFrFvG0Cgx12KrtoSaT1l+gTBdKVqzF46zgEHXTVClzg4ZOg0HewDZRxgM=
', '2026-11-21 15:05:45.737519+00', NULL);
INSERT INTO ledger_checkpoint (number, generation, size, root, note, signed_at, witnessed_at) OVERRIDING SYSTEM VALUE VALUES ('2', '0', '23', E'\\x6df1a22482664c4b770b0911619cbc298f77928e6fc3adf07d1fb2fc5fd11a0f', 'watchledger-0ae47411acf1/api/ledger
23
bfGiJIJmTEt3CwkRYZy8KY93ko5vw63wfR+y/F/RGg8=

— watchledger-0ae47411acf1/api/ledger RUYcmv2VRb6RbtgtnpH5lXClEQFGYSGiWYw22ddrxUS6r9JjeWyI0D7WxEun7VRs88Z8R7+4xJ8l1uoXfNOAaK7Z7Ag=
', '2026-11-21 15:05:48.317422+00', NULL);
INSERT INTO run_flush (id, slot, first_at, last_at, flushed_at, packed) OVERRIDING SYSTEM VALUE VALUES ('1', '0', '1795273547497', '1795273547497', '2026-11-21 15:05:47.513513+00', E'\\x00fbf615aaf7d60f55d95293b88101010101186336303563646264653931373331666530396464643136650001095b302c302c3230305d00011866316535623230316530623530343433316461623932656400012c4e4f3446374863775964694e6947734e55465a784e50517865724c7657793175754c2f596b596d4d2f54673d00d2fba2eabf6801520003080b6935');
INSERT INTO latest_run (check_id, project_id, at, whole) OVERRIDING SYSTEM VALUE VALUES (E'\\xc605cdbde91731fe09ddd16e', E'\\xfbf615aaf7d60f55d95293b8', '1795273547497', E'\\x019554db8edb3610fd15619e299b94445d58f4a1689a0bb2dd06b183006df24091a335114974496ad3d6f0bf0764b45d67e122e89b3433e7cce1e10c4f201dca571a04f4d860cbf5c0eabea7d8369af65dc5940402017d4835aaa65ce95e63c79a920d483bad35ab71adb995138280e7cece213bcabb18f74186c58300fb09080cd28c8b430fe28f8f04dc32a6cf1384bf8f1119f0af0004ec1104f8a50702f7720401ef7154768a74d6993b338380d4723a8e32609296721a1d087a8ed4e88f76f608e2f444c22184e3ee2152500a047ae9f19d8b8d62526cb7ac68367443374c548c967c0b04949d03ce61ff28747b08d3f843a60ed2790c3f2e61c8db95ff25ca24055eeef76fb66cc3b282d2ecb7d71fdc877925cae39145f65f44b1f2990c28b29d0c242b58766befb3821675c6b8a05c544df6e2d77d2cfbd9ce33aa60ec2c32355a8f6b3075b9c1f92e1c44c64b20707456a1f77b13af896e2823e0cd3f088297d1316d1caab0de4d309399efd2e54c189c51d1ae67b7bbecc6da4fcb11c81a7e1abd97e312d9cfe412f86a36c1c83153ff6abd24b89a5d89da6f8976bb9b4be4d7dfeb3ddfe29f0bfa7059fe18ba0e792f4d88a7be803c865608fb16b21a9d69fb791eadd497d82bb9eb247b1be478897c083c94d3f3c773bca2aff2c50996ef8ceb84e160e35ebcf8650fe7b4862ea0fe2980604dc78ba6e45543402f4e26bfd3381469cc07e326d420825b908046657caa38a5ed4d43312fe34800ef8dc659a51d73cb9cd6b0a3bcad2a55e40dd732e772a8f256f63caf86a292aaea51770590efca97212d6751e78ce505db3fccfca6ea9adf81c068d5aa1b7079b2d405a50426338ec6a3b2b3f620e2c9d27b24a0ac102947d53425ad996e5bddb6754f35a7bc6e58590d55c91ad91738f0bed035f66d3fe8b6636dd7aa41976d347335295931c8d1230175902679a4ac73382671ebb3aaba6a6065ae6a4573ae15cfbb128bbc6b6451aba657adaae3f32217ff3f41e7f3f90b');
INSERT INTO job_run (job_id, check_id, at, whole) OVERRIDING SYSTEM VALUE VALUES (E'\\xf1e5b201e0b504431dab92ed', E'\\xc605cdbde91731fe09ddd16e', '1795273547497', E'\\x019554db8edb3610fd15619e299b94445d58f4a1689a0bb2dd06b183006df24091a335114974496ad3d6f0bf0764b45d67e122e89b3433e7cce1e10c4f201dca571a04f4d860cbf5c0eabea7d8369af65dc5940402017d4835aaa65ce95e63c79a920d483bad35ab71adb995138280e7cece213bcabb18f74186c58300fb09080cd28c8b430fe28f8f04dc32a6cf1384bf8f1119f0af0004ec1104f8a50702f7720401ef7154768a74d6993b338380d4723a8e32609296721a1d087a8ed4e88f76f608e2f444c22184e3ee2152500a047ae9f19d8b8d62526cb7ac68367443374c548c967c0b04949d03ce61ff28747b08d3f843a60ed2790c3f2e61c8db95ff25ca24055eeef76fb66cc3b282d2ecb7d71fdc877925cae39145f65f44b1f2990c28b29d0c242b58766befb3821675c6b8a05c544df6e2d77d2cfbd9ce33aa60ec2c32355a8f6b3075b9c1f92e1c44c64b20707456a1f77b13af896e2823e0cd3f088297d1316d1caab0de4d309399efd2e54c189c51d1ae67b7bbecc6da4fcb11c81a7e1abd97e312d9cfe412f86a36c1c83153ff6abd24b89a5d89da6f8976bb9b4be4d7dfeb3ddfe29f0bfa7059fe18ba0e792f4d88a7be803c865608fb16b21a9d69fb791eadd497d82bb9eb247b1be478897c083c94d3f3c773bca2aff2c50996ef8ceb84e160e35ebcf8650fe7b4862ea0fe2980604dc78ba6e45543402f4e26bfd3381469cc07e326d420825b908046657caa38a5ed4d43312fe34800ef8dc659a51d73cb9cd6b0a3bcad2a55e40dd732e772a8f256f63caf86a292aaea51770590efca97212d6751e78ce505db3fccfca6ea9adf81c068d5aa1b7079b2d405a50426338ec6a3b2b3f620e2c9d27b24a0ac102947d53425ad996e5bddb6754f35a7bc6e58590d55c91ad91738f0bed035f66d3fe8b6636dd7aa41976d347335295931c8d1230175902679a4ac73382671ebb3aaba6a6065ae6a4573ae15cfbb128bbc6b6451aba657adaae3f32217ff3f41e7f3f90b');
INSERT INTO kept_page (sha256, kept_at, size, packed) OVERRIDING SYSTEM VALUE VALUES (E'\\x34ee05ec773061d88d886b0d50567134f4317ab2ef5b2d6eb8bfd891898cfd38', '2026-11-21 15:05:47.744571+00', '53', E'\\x1b340000444f96ba501e8a2945903fb3090c70c881c377a42c8c28d8183bc3ef93483eeffb473056271935795b86cd68d0a0181534');
INSERT INTO kept_answer (check_id, at, page, head) OVERRIDING SYSTEM VALUE VALUES (E'\\xc605cdbde91731fe09ddd16e', '1795273547497', E'\\x34ee05ec773061d88d886b0d50567134f4317ab2ef5b2d6eb8bfd891898cfd38', E'\\x0135cecd6ac3301004e0571173566ccb899bb2a597b4d043ff0e0dbd181f84bc8903aa14a45549287df76243af331fccfca0240fc22472a6ba36edb66aaaa632b431cdbaaba197e693533ec50082a90c34b2582979cf1701e1fd79566c474e19d4f77031080759c9f5ccd010be483dc997bf536eb229b3dc1739ac6e31e81e8f5666f36145abd6a8b7f8addaa6bd51a6a3a6a3cd563dbdee17f810436027f30b0de763e6ff78d97ae17094091add1ac3a091783c2576c2e3ee0a0ac57b0d570474b03ef3ef1f');
INSERT INTO notifier_checkpoint (singleton, n) OVERRIDING SYSTEM VALUE VALUES ('true', '22');
INSERT INTO report_plan (user_id, last_week, look_at, seen_n) OVERRIDING SYSTEM VALUE VALUES ('1', '2026-11-16', '2026-11-23 08:00:00+00', '0');
INSERT INTO report_plan (user_id, last_week, look_at, seen_n) OVERRIDING SYSTEM VALUE VALUES ('2', NULL, 'infinity', '1');
INSERT INTO report_plan (user_id, last_week, look_at, seen_n) OVERRIDING SYSTEM VALUE VALUES ('3', NULL, 'infinity', '4');
INSERT INTO subject_keys (subject, wrapped, made_at, erased_at) OVERRIDING SYSTEM VALUE VALUES ('account-1', E'\\x26ebffa3ceec620697aa0ee48c1a8f4e37f2b2da1bc997a21f5a5660b2139cde4f112eca6f5fa9bc0f6dbdc91e441f36e764e2608ac99edb90a37a71', '2026-11-21 15:05:44.710873+00', NULL);
INSERT INTO subject_keys (subject, wrapped, made_at, erased_at) OVERRIDING SYSTEM VALUE VALUES ('account-2', E'\\x10a743330919f71f486e516e276043210fa4b3ab2436f23ce9ae4c794ef8e80c752c96c573c8b0e4d0e90deafef8ba2f383f08a2a82978022f8e2486', '2026-11-21 15:05:45.184617+00', NULL);
INSERT INTO subject_keys (subject, wrapped, made_at, erased_at) OVERRIDING SYSTEM VALUE VALUES ('account-3', E'\\x36c5206057a7857a0db5dbad264a1a818e7207a9a62131b3b69bb8a95259b9fa2baf5464d47766621b8464222aeb8dbe69590e9a3703d9d315201e5a', '2026-11-21 15:05:46.106548+00', NULL);
INSERT INTO subject_keys (subject, wrapped, made_at, erased_at) OVERRIDING SYSTEM VALUE VALUES ('account-4', NULL, '2026-11-21 15:05:46.395796+00', '2026-11-21 15:05:47.901403+00');
INSERT INTO subject_keys (subject, wrapped, made_at, erased_at) OVERRIDING SYSTEM VALUE VALUES ('project-fbf615aaf7d60f55d95293b8', E'\\xb637cb49805ea2fad0957fbbda822256fa4d2858faaa2e2b2303607f09e98bf13b3ed779ec2a84f0d0036eb0969fd6c08164b2527884341c2d6fc6fe', '2026-11-21 15:05:46.734223+00', NULL);
INSERT INTO installation_secrets (name, wrapped, made_at) OVERRIDING SYSTEM VALUE VALUES ('jwt', E'\\x39c0b1ebd857ecdee1134739b6dc1997c245568ac19963f0d2bf008b464f45db051e045aa6f763cccf42e414377254f05d4577640464d96a1c65f338', '2026-11-21 15:05:44.267414+00');
INSERT INTO installation_secrets (name, wrapped, made_at) OVERRIDING SYSTEM VALUE VALUES ('look-up', E'\\x76fc3ab0483a21a7149cbec94191aa88c01982d12f05e176fac11ca066873087ddf779a0fb8321f12e56ae76385f5b18303bab28a7fee27f8d34ba32', '2026-11-21 15:05:44.619981+00');
INSERT INTO installation_secrets (name, wrapped, made_at) OVERRIDING SYSTEM VALUE VALUES ('object-ids', E'\\x8046f3729f494d9ba340d54d6d9b858280083ca04edc42f2cacecd396f1e39d7dbea65c26c9c58234d6d0509d662d1b2c54605c7e156001689f228f9', '2026-11-21 15:05:45.643479+00');
INSERT INTO ledger_key (number, verifier_key, wrapped, added_at, retired_at) OVERRIDING SYSTEM VALUE VALUES ('1', 'watchledger-0ae47411acf1/api/ledger+45461c9a+AeI3SgMEM5LkNCfsZKGD71U/987fG3qydqFGWpZcvFWr', E'\\x14903dffa70591f4231a7c9d04cb82bcee28d03a1c53d0eab32787736d1fe53b7cd1d171835184e44979af2a6dc4ff9bd2cce65a53f1315610495cf6', '2026-11-21 15:05:43.579541+00', NULL);
INSERT INTO passwords (user_id, hash, changed_at) OVERRIDING SYSTEM VALUE VALUES ('1', '$argon2id$v=19$m=19456,t=2,p=1$Eqq6npt7d/62xiJefs6VlQ$Gs9RxA1knO27KOjJru1S5AQE6GYe/o03wNTxOYfpJHo', '2026-11-21 15:05:44.687106+00');
INSERT INTO passwords (user_id, hash, changed_at) OVERRIDING SYSTEM VALUE VALUES ('2', '$argon2id$v=19$m=19456,t=2,p=1$+BROQmoTvkUnLvNhWxPKlw$O4wlLFtp9SH6MSE/Jjy0bps8/W2ZsN3DcjSz88pJq5M', '2026-11-21 15:05:45.171268+00');
INSERT INTO passwords (user_id, hash, changed_at) OVERRIDING SYSTEM VALUE VALUES ('3', '$argon2id$v=19$m=19456,t=2,p=1$cWiebtdq6Cs4CZwTcn96hQ$3bEslvu8YfvMGcHAo/9ZRmuyH/HOSKsBNXO6ftwIgK4', '2026-11-21 15:05:46.099093+00');
INSERT INTO tokens (token_id, user_id, kind, issued_at, expires_at, last_used_at) OVERRIDING SYSTEM VALUE VALUES ('60502d5f81bbc2a3f5f0cc5c', '2', 'personal', '2026-11-21 15:05:47.579+00', '2027-11-21 15:05:47.579+00', NULL);
INSERT INTO tokens (token_id, user_id, kind, issued_at, expires_at, last_used_at) OVERRIDING SYSTEM VALUE VALUES ('b1647013686be8842c3f9b37', '2', 'login', '2026-11-21 15:05:45.481+00', '2026-11-21 16:05:45.481+00', '2026-11-21 15:05:46.650836+00');
INSERT INTO tokens (token_id, user_id, kind, issued_at, expires_at, last_used_at) OVERRIDING SYSTEM VALUE VALUES ('fb3140e8d8920967024ed132', '3', 'login', '2026-11-21 15:05:46.234+00', '2026-11-21 16:05:46.234+00', NULL);
INSERT INTO links (hash, user_id, purpose, expires_at) OVERRIDING SYSTEM VALUE VALUES ('0bdae4cd5a1ce7727174bf7285b36ea03b547ffe331f7ba1d214f4ec04371fd4', '3', 'confirm', '2026-11-24 15:05:46.138+00');
INSERT INTO links (hash, user_id, purpose, expires_at) OVERRIDING SYSTEM VALUE VALUES ('43893a3ba9a220dfb5db6c5a04d15298f9aceb57f672648cb2bc7ee08cc0455b', '2', 'confirm', '2026-11-24 15:05:45.244+00');
INSERT INTO erasures (user_id, begun_at, done_at) OVERRIDING SYSTEM VALUE VALUES ('4', '2026-11-21 15:05:47.824983+00', '2026-11-21 15:05:47.907468+00');
