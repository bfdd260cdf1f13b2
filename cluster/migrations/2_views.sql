-- One view for each table of a report.

-- Each answered case.
CREATE VIEW patchwright.cases AS
SELECT run,
       "case",
       part,
       attempt,
       outcome->>'status' AS status,
       outcome->>'reason' AS reason,
       (grade->>'correct')::boolean AS correct,
       (grade->>'resolved')::boolean AS resolved,
       outcome->>'model' AS model,
       (outcome->>'cycles')::integer AS cycles,
       (outcome->'candidates'->>'tried')::integer AS candidates,
       (outcome->'candidates'->>'plausible')::integer AS plausible,
       (outcome->>'cost_usd')::double precision AS usd,
       (outcome->'tokens'->>'input')::bigint AS input_tokens,
       (outcome->'tokens'->>'output')::bigint AS output_tokens,
       (outcome->'seconds'->>'total')::double precision AS session_seconds,
       (outcome->'seconds'->>'model')::double precision AS model_seconds,
       (outcome->'seconds'->>'tests')::double precision AS test_seconds,
       seconds,
       (located->>'files')::boolean AS files_located,
       (located->>'functions')::boolean AS functions_located,
       (located->>'lines')::boolean AS lines_located,
       outcome->>'patch' AS patch,
       stored
FROM patchwright.results;

-- Cases by how they ended.
CREATE VIEW patchwright.outcomes AS
SELECT run, status, count(*) AS cases, sum(usd) AS usd, sum(input_tokens + output_tokens) AS tokens
FROM patchwright.cases
GROUP BY run, status;

-- The summary: answered, plausible, correct and resolved cases, and the medians of what they took.
CREATE VIEW patchwright.summary AS
SELECT run,
       count(*) AS cases,
       count(*) FILTER (WHERE status IN ('plausible', 'reproduced')) AS plausible,
       count(*) FILTER (WHERE correct) AS correct,
       count(*) FILTER (WHERE resolved) AS resolved,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median_seconds,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY usd) AS median_usd,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY input_tokens + output_tokens) AS median_tokens,
       sum(usd) AS usd,
       sum(input_tokens + output_tokens) AS tokens
FROM patchwright.cases
GROUP BY run;

-- Cases whose patch touches all files, functions and lines of the developer's fix.
CREATE VIEW patchwright.localization AS
SELECT run,
       count(files_located) AS compared,
       count(*) FILTER (WHERE files_located) AS files,
       count(*) FILTER (WHERE functions_located) AS functions,
       count(*) FILTER (WHERE lines_located) AS lines
FROM patchwright.cases
GROUP BY run;

-- Parts by state, and what was spent on them, answered or not.
CREATE VIEW patchwright.progress AS
SELECT run,
       count(*) AS parts,
       count(*) FILTER (WHERE state = 'waiting') AS waiting,
       count(*) FILTER (WHERE state = 'claimed') AS claimed,
       count(*) FILTER (WHERE state = 'done') AS done,
       count(*) FILTER (WHERE state = 'parked') AS parked,
       sum(answers) AS answers,
       sum(usd) AS usd,
       sum(tokens) AS tokens
FROM patchwright.parts
GROUP BY run;

-- Parts that are not tried again by themselves, and why.
CREATE VIEW patchwright.parked AS
SELECT run, part, claims, answers, usd, tokens, reason, changed
FROM patchwright.parts
WHERE state = 'parked';

-- Workers, and the parts that each has claimed.
CREATE VIEW patchwright.activity AS
SELECT worker, host, pid, program, lanes, count(part) AS claimed, started, seen, ended
FROM patchwright.workers LEFT JOIN patchwright.parts USING (worker)
GROUP BY worker;
