-- The ledger of runs that workers carry out. A run consists of parts; a part has a folder with a run of its own, whose files are stored here.

CREATE TABLE patchwright.runs (
    run text PRIMARY KEY,
    -- `run.toml` of the whole run.
    settings text NOT NULL,
    parts integer NOT NULL CHECK (parts > 0),
    -- A claim that was not renewed for this long is void.
    lease interval NOT NULL CHECK (lease > interval '0'),
    -- The most that the run may spend; a session's own limit is reserved before it begins.
    cap_usd double precision,
    cap_tokens bigint,
    session_usd double precision,
    session_tokens bigint,
    -- The rate of requests to the model, of all workers together.
    requests_per_minute integer CHECK (requests_per_minute > 0),
    next_request timestamptz NOT NULL DEFAULT '-infinity',
    -- What a worker must have.
    needs_containers boolean NOT NULL DEFAULT false,
    needs_architecture text,
    needs_memory_mib bigint,
    -- The folder or object store that holds the files of parts that are done; the ledger itself, where none is named.
    artifacts text,
    cancelled boolean NOT NULL DEFAULT false,
    created timestamptz NOT NULL DEFAULT now()
);

CREATE TYPE patchwright.part_state AS ENUM ('waiting', 'claimed', 'done', 'parked');

CREATE TABLE patchwright.parts (
    run text NOT NULL REFERENCES patchwright.runs ON DELETE CASCADE,
    part integer NOT NULL,
    state patchwright.part_state NOT NULL DEFAULT 'waiting',
    -- The fence: a writer names the claim by which it works, and writes nothing under another. A random value stays unique when the server is
    -- set back to a backup, which a counter does not.
    claim uuid,
    worker uuid,
    lease_until timestamptz,
    claims integer NOT NULL DEFAULT 0,
    -- Claims in a row that ended without an answer to the case and without a new answer of the model.
    failures smallint NOT NULL DEFAULT 0,
    -- Answers of the model that are stored, and what they have cost.
    answers integer NOT NULL DEFAULT 0,
    answers_at_claim integer NOT NULL DEFAULT 0,
    usd double precision NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    -- Why it waits again, or is parked.
    reason text,
    -- The name of the archive with its files, relative to `artifacts`. It has none in `files` then.
    archive text,
    changed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, part)
);

CREATE INDEX parts_waiting ON patchwright.parts (run, failures, part) WHERE state = 'waiting';
CREATE INDEX parts_claimed ON patchwright.parts (run, lease_until) WHERE state = 'claimed';

CREATE TABLE patchwright.files (
    run text NOT NULL,
    part integer NOT NULL,
    -- Relative to the folder of the part.
    path text NOT NULL,
    -- Bytes stored, uncompressed.
    length bigint NOT NULL,
    PRIMARY KEY (run, part, path),
    FOREIGN KEY (run, part) REFERENCES patchwright.parts ON DELETE CASCADE
);

-- A piece of a file, compressed with zlib.
CREATE TABLE patchwright.pieces (
    run text NOT NULL,
    part integer NOT NULL,
    path text NOT NULL,
    position bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (run, part, path, position),
    FOREIGN KEY (run, part, path) REFERENCES patchwright.files ON DELETE CASCADE
);
ALTER TABLE patchwright.pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The one answer to a case.
CREATE TABLE patchwright.results (
    run text NOT NULL,
    "case" text NOT NULL,
    part integer NOT NULL,
    attempt integer NOT NULL,
    -- `result.json` of the session.
    outcome jsonb NOT NULL,
    -- The last judgement of its patch.
    grade jsonb,
    -- Whether the patch touches all files, functions and lines of the developer's fix.
    located jsonb,
    seconds double precision,
    stored timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, "case"),
    FOREIGN KEY (run, part) REFERENCES patchwright.parts ON DELETE CASCADE
);

CREATE TABLE patchwright.workers (
    worker uuid PRIMARY KEY,
    host text NOT NULL,
    pid integer NOT NULL,
    program text NOT NULL,
    lanes integer NOT NULL,
    started timestamptz NOT NULL DEFAULT now(),
    seen timestamptz NOT NULL DEFAULT now(),
    ended timestamptz
);
