-- SPDX-License-Identifier: MIT
--
-- The tuning database of scanrt, format 5.  SELECT * FROM help tells which view answers what; scanrt-db(5) explains
-- every column.  Keys and hashes are lower-case hexadecimal texts, times of day ISO 8601 in UTC, durations
-- microseconds.  NULL means unknown or not measured.  Written by scantune(1), read by libscanrt.

PRAGMA application_id = 1396919890; -- 'SCNR'

-- The hardware, as far as it decides what is fast.  The name is for people: equal names hide different boards.
CREATE TABLE device (
	id INTEGER PRIMARY KEY,
	fingerprint TEXT NOT NULL UNIQUE CHECK (fingerprint <> ''),
	family TEXT NOT NULL,
	name TEXT NOT NULL,
	uuid TEXT NOT NULL,
	capability INTEGER NOT NULL CHECK (capability > 0),
	sm_count INTEGER CHECK (sm_count > 0),
	l2_bytes INTEGER CHECK (l2_bytes > 0),
	memory_bytes INTEGER CHECK (memory_bytes > 0),
	is_modelled INTEGER NOT NULL CHECK (is_modelled IN (0, 1)),
	seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z')
);

-- The boards that a device's row stands for: equal in all that decides what is fast.  A new row for each time seen.
CREATE TABLE board (
	id INTEGER PRIMARY KEY,
	device INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,
	uuid TEXT NOT NULL CHECK (uuid <> ''),
	seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z'),
	UNIQUE (uuid, device)
);

-- What compiled and ran the kernels.  Never part of a choice's key: a newer driver leaves choices valid.
CREATE TABLE toolchain (
	id INTEGER PRIMARY KEY,
	compiler TEXT NOT NULL,
	driver_version INTEGER NOT NULL CHECK (driver_version >= 0),
	UNIQUE (compiler, driver_version)
);

CREATE TABLE problem (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE CHECK (name <> ''),
	op TEXT NOT NULL,
	op_class TEXT NOT NULL,
	input_type TEXT NOT NULL,
	accumulator_type TEXT NOT NULL,
	output_type TEXT NOT NULL,
	type_bytes INTEGER NOT NULL CHECK (type_bytes > 0),
	moved_bytes INTEGER NOT NULL CHECK (moved_bytes > 0) -- read and written, for each element
);

CREATE TABLE variant (
	id INTEGER PRIMARY KEY,
	text TEXT NOT NULL UNIQUE CHECK (text <> '' AND length(text) < 160),
	strategy TEXT NOT NULL
);

CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	device INTEGER NOT NULL REFERENCES device,
	toolchain INTEGER NOT NULL REFERENCES toolchain,
	source_hash TEXT NOT NULL CHECK (length(source_hash) = 32 AND source_hash NOT GLOB '*[^0-9a-f]*'),
	effort TEXT NOT NULL CHECK (effort IN ('quick', 'normal', 'thorough')),
	arguments TEXT NOT NULL,
	version TEXT NOT NULL,
	boot_id TEXT NOT NULL,
	pid INTEGER NOT NULL,
	start_ticks INTEGER NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'budget', 'interrupted', 'failed')),
	started_at TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??Z'),
	finished_at TEXT CHECK (finished_at GLOB '????-??-??T??:??:??Z'),
	kind TEXT CHECK (kind IN ('tune', 'recheck', 'import')),
	seed TEXT,
	clock_mhz INTEGER CHECK (clock_mhz > 0),
	foreign_processes INTEGER CHECK (foreign_processes >= 0),
	note TEXT,
	CHECK ((status = 'running') = (finished_at IS NULL))
);

-- The copy that a scan cannot beat: as many bytes written as read.
CREATE TABLE roofline (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	bytes INTEGER NOT NULL CHECK (bytes > 0),
	copy_us REAL NOT NULL CHECK (copy_us > 0),
	method TEXT NOT NULL,
	UNIQUE (run, bytes, method)
);

CREATE TABLE trial (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	problem INTEGER NOT NULL REFERENCES problem,
	variant INTEGER NOT NULL REFERENCES variant,
	class TEXT NOT NULL CHECK (class IN ('', 'tile', 'few', 'small', 'wave', 'waves', 'swell', 'medium', 'large')),
	count INTEGER CHECK (count > 0),
	status TEXT NOT NULL CHECK (status IN ('running', 'ok', 'pruned', 'compile', 'launch', 'wrong', 'timeout',
		'crash', 'noisy', 'implausible')),
	samples INTEGER NOT NULL CHECK (samples >= 0),
	us REAL CHECK (us > 0),
	low_us REAL CHECK (low_us > 0),
	high_us REAL CHECK (high_us > 0),
	clock_mhz INTEGER CHECK (clock_mhz > 0),
	registers INTEGER CHECK (registers > 0),
	note TEXT,
	tried_at TEXT NOT NULL CHECK (tried_at GLOB '????-??-??T??:??:??Z'),
	stage TEXT CHECK (stage IN ('race', 'final')),
	ratio REAL CHECK (ratio > 0),
	low_ratio REAL CHECK (low_ratio > 0),
	high_ratio REAL CHECK (high_ratio > 0),
	UNIQUE (run, problem, variant, class)
);

-- The winners: what libscanrt reads.  seal is a hash of what decides a launch; a row edited by hand is refused.
CREATE TABLE choice (
	id INTEGER PRIMARY KEY,
	device INTEGER NOT NULL REFERENCES device,
	source_hash TEXT NOT NULL CHECK (length(source_hash) = 32 AND source_hash NOT GLOB '*[^0-9a-f]*'),
	problem INTEGER NOT NULL REFERENCES problem,
	class TEXT NOT NULL CHECK (class IN ('tile', 'few', 'small', 'wave', 'waves', 'swell', 'medium', 'large')),
	low_count INTEGER NOT NULL CHECK (low_count >= 0),
	high_count INTEGER NOT NULL CHECK (high_count >= low_count),
	count INTEGER NOT NULL CHECK (count > 0),
	variant INTEGER NOT NULL REFERENCES variant,
	us REAL NOT NULL CHECK (us > 0),
	low_us REAL CHECK (low_us > 0),
	high_us REAL CHECK (high_us > 0),
	default_us REAL CHECK (default_us > 0),
	copy_us REAL CHECK (copy_us > 0),
	reason TEXT NOT NULL,
	run INTEGER REFERENCES run ON DELETE SET NULL,
	tuned_at TEXT NOT NULL CHECK (tuned_at GLOB '????-??-??T??:??:??Z'),
	seal TEXT NOT NULL CHECK (length(seal) = 32 AND seal NOT GLOB '*[^0-9a-f]*'),
	border TEXT CHECK (border IN ('measured', 'middle', 'reach', 'open')),
	UNIQUE (device, source_hash, problem, class)
);

-- Machine code, by the XXH3-128 of its bytes.  Where fewer bytes than its size are stored, they are compressed
-- (db/compress.h); "scantune export --image" writes it as it is.
CREATE TABLE image (
	hash TEXT NOT NULL PRIMARY KEY CHECK (length(hash) = 32 AND hash NOT GLOB '*[^0-9a-f]*'),
	size INTEGER NOT NULL CHECK (size >= length(bytes) AND length(bytes) > 0),
	bytes BLOB NOT NULL CHECK (typeof(bytes) = 'blob')
);

-- What was compiled, for which recipe, and what came out.  image is NULL where the machine code was not kept.
CREATE TABLE kernel (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE CHECK (length(key) = 32 AND key NOT GLOB '*[^0-9a-f]*'),
	recipe TEXT NOT NULL CHECK (length(recipe) = 32 AND recipe NOT GLOB '*[^0-9a-f]*'),
	entry TEXT NOT NULL,
	codegen TEXT NOT NULL CHECK (codegen IN ('sass', 'ptx')),
	arch TEXT NOT NULL,
	toolchain TEXT NOT NULL,
	problem TEXT NOT NULL,
	variant TEXT NOT NULL,
	registers INTEGER NOT NULL CHECK (registers >= 0),
	shared_bytes INTEGER NOT NULL CHECK (shared_bytes >= 0),
	local_bytes INTEGER NOT NULL CHECK (local_bytes >= 0),
	image TEXT REFERENCES image ON DELETE SET NULL,
	run INTEGER REFERENCES run ON DELETE SET NULL,
	built_at TEXT NOT NULL CHECK (built_at GLOB '????-??-??T??:??:??Z'),
	seal TEXT NOT NULL CHECK (length(seal) = 32 AND seal NOT GLOB '*[^0-9a-f]*'),
	verified INTEGER CHECK (verified IN (0, 1))
);
CREATE INDEX kernel_by_recipe ON kernel (recipe);

-- Variants that crashed, hung or gave wrong results, so that no later run tries them unwarned.
CREATE TABLE poison (
	id INTEGER PRIMARY KEY,
	device INTEGER NOT NULL REFERENCES device,
	source_hash TEXT NOT NULL CHECK (length(source_hash) = 32 AND source_hash NOT GLOB '*[^0-9a-f]*'),
	problem INTEGER NOT NULL REFERENCES problem,
	variant INTEGER NOT NULL REFERENCES variant,
	status TEXT NOT NULL CHECK (status IN ('wrong', 'timeout', 'crash')),
	note TEXT,
	found_at TEXT NOT NULL CHECK (found_at GLOB '????-??-??T??:??:??Z'),
	UNIQUE (device, source_hash, problem, variant)
);

-- ---- For people ----

CREATE VIEW tuned AS SELECT
	p.name AS problem,
	c.class AS class,
	c.low_count || CASE WHEN c.high_count = 9223372036854775807 THEN ' and more'
		ELSE ' to ' || c.high_count END AS counts,
	v.text AS variant,
	printf('%.2f', c.us) AS us,
	printf('%.0f', c.count * p.moved_bytes / c.us / 1e3) AS "GB/s",
	CASE WHEN c.copy_us > 0 THEN printf('%.1f %%', 100 * c.copy_us / c.us) ELSE '' END AS "of copy",
	CASE WHEN c.default_us > 0 THEN printf('%+.1f %%', 100 * (c.default_us / c.us - 1)) ELSE '' END AS gain,
	c.tuned_at AS "when",
	d.name || CASE d.is_modelled WHEN 1 THEN ' (modelled)' ELSE '' END AS device
FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant JOIN device d ON d.id = c.device
WHERE c.source_hash = (SELECT source_hash FROM choice WHERE device = c.device ORDER BY tuned_at DESC, id DESC LIMIT 1)
ORDER BY d.name, d.id, p.id, c.low_count;

CREATE VIEW why AS SELECT
	p.name AS problem,
	c.class AS class,
	CASE WHEN t.variant = c.variant THEN 'chosen' ELSE t.status END AS verdict,
	v.text AS variant,
	CASE WHEN t.us > 0 THEN printf('%.2f', t.us) ELSE '' END AS us,
	CASE WHEN t.low_us > 0 THEN printf('%.2f to %.2f', t.low_us, t.high_us) ELSE '' END AS "95 % interval",
	CASE WHEN t.us > 0 THEN printf('%.3f', coalesce(t.ratio, t.us / c.us)) ELSE '' END AS "to the chosen",
	CASE WHEN t.low_ratio < t.high_ratio THEN printf('%.3f to %.3f', t.low_ratio, t.high_ratio) ELSE '' END
		AS "its interval",
	coalesce(t.stage, '') AS stage,
	coalesce(CASE WHEN t.variant = c.variant THEN c.reason ELSE t.note END, '') AS reason,
	d.name AS device
FROM choice c JOIN trial t ON t.run = coalesce((SELECT max(r.id) FROM run r JOIN trial x ON x.run = r.id
	WHERE r.device = c.device AND r.source_hash = c.source_hash AND r.kind IS NOT 'recheck'
	AND x.problem = c.problem AND x.class = c.class AND x.variant = c.variant AND x.us > 0), c.run)
	AND t.problem = c.problem AND (t.class = c.class OR t.class = '' AND t.status <> 'ok')
JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = t.variant JOIN device d ON d.id = c.device
ORDER BY d.name, d.id, p.id, c.low_count, t.variant <> c.variant, t.us IS NULL, t.stage IS NOT 'final',
	coalesce(t.ratio, t.us / c.us), v.text;

CREATE VIEW coverage AS SELECT
	r.id AS run,
	p.name AS problem,
	count(DISTINCT t.variant) AS variants,
	count(DISTINCT CASE t.status WHEN 'ok' THEN t.variant END) AS ok,
	count(DISTINCT CASE t.status WHEN 'pruned' THEN t.variant END) AS pruned,
	count(DISTINCT CASE WHEN t.status NOT IN ('ok', 'pruned', 'running') THEN t.variant END) AS failed,
	count(DISTINCT CASE t.status WHEN 'running' THEN t.variant END) AS unfinished,
	coalesce((SELECT group_concat(class, ' ') FROM (SELECT class FROM choice c WHERE c.device = r.device
		AND c.problem = p.id AND c.source_hash = r.source_hash ORDER BY c.low_count)), 'none') AS chosen,
	d.name AS device
FROM trial t JOIN run r ON r.id = t.run JOIN problem p ON p.id = t.problem JOIN device d ON d.id = r.device
GROUP BY r.id, p.id ORDER BY r.id DESC, p.id;

CREATE VIEW failures AS SELECT
	p.name AS problem,
	v.text AS variant,
	t.class AS class,
	t.status AS status,
	coalesce(t.note, '') AS reason,
	t.run AS run,
	t.tried_at AS "when",
	d.name AS device
FROM trial t JOIN run r ON r.id = t.run JOIN problem p ON p.id = t.problem JOIN variant v ON v.id = t.variant
JOIN device d ON d.id = r.device
WHERE t.status NOT IN ('ok', 'pruned', 'running') ORDER BY t.id DESC;

CREATE VIEW stale AS SELECT
	p.name AS problem,
	c.class AS class,
	v.text AS variant,
	CASE WHEN r.source_hash <> c.source_hash THEN 'a vendor''s, measured with other kernels: still used'
		WHEN c.source_hash <> l.source_hash THEN 'kernels have changed: no longer used'
		WHEN o.driver_version <> n.driver_version
			THEN 'tuned with driver ' || o.driver_version || ', now ' || n.driver_version || ': still used'
		ELSE 'compiled by ' || o.compiler || ', now ' || n.compiler || ': still used' END AS reason,
	c.tuned_at AS "when",
	d.name AS device
FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant JOIN device d ON d.id = c.device
JOIN run l ON l.id = (SELECT max(id) FROM run WHERE device = c.device) JOIN toolchain n ON n.id = l.toolchain
LEFT JOIN run r ON r.id = c.run LEFT JOIN toolchain o ON o.id = r.toolchain
WHERE c.source_hash <> l.source_hash OR o.id <> n.id ORDER BY d.name, d.id, p.id, c.low_count;

CREATE VIEW runs AS SELECT
	r.id AS run,
	r.started_at AS started,
	CAST(round((julianday(r.finished_at) - julianday(r.started_at)) * 86400) AS INTEGER) AS seconds,
	r.status AS status,
	r.effort AS effort,
	coalesce(r.kind, 'tune') AS kind,
	(SELECT count(*) FROM trial WHERE run = r.id) AS trials,
	(SELECT count(*) FROM choice WHERE run = r.id) AS choices,
	(SELECT printf('%.0f', max(2 * bytes / copy_us / 1e3)) FROM roofline WHERE run = r.id GROUP BY run)
		AS "copy GB/s",
	t.compiler AS compiler,
	t.driver_version AS driver,
	coalesce(r.clock_mhz, '') AS MHz,
	CASE WHEN r.foreign_processes > 0 THEN r.foreign_processes || ' other processes; ' ELSE '' END
		|| coalesce(r.note, '') AS remarks,
	r.arguments AS arguments,
	d.name AS device
FROM run r JOIN device d ON d.id = r.device JOIN toolchain t ON t.id = r.toolchain ORDER BY r.id DESC;

CREATE VIEW kernels AS SELECT
	k.problem AS problem,
	k.variant AS variant,
	k.arch AS arch,
	k.codegen AS codegen,
	k.registers AS registers,
	k.shared_bytes AS shared,
	k.local_bytes AS local,
	CASE WHEN i.size IS NULL THEN 'not kept' ELSE i.size || ' bytes' END AS image,
	CASE k.verified WHEN 1 THEN 'by scantune' WHEN 0 THEN 'no: a program kept it' ELSE '' END AS verified,
	k.toolchain AS compiler,
	k.built_at AS "when",
	k.key AS key
FROM kernel k LEFT JOIN image i ON i.hash = k.image ORDER BY k.problem, k.variant, k.id;

CREATE VIEW help AS SELECT column1 AS "view", column2 AS "what it answers" FROM (VALUES
	('tuned', 'what is used on this machine, how fast it is, and what tuning gained'),
	('why', 'what each choice was up against: WHERE problem = ''sum i32'' AND class = ''large'''),
	('coverage', 'how many variants each run tried for each problem, and which classes have a choice'),
	('failures', 'variants that did not compile, crashed, hung, were wrong or could not be timed'),
	('stale', 'choices that another driver, compiler or kernel has overtaken'),
	('runs', 'when the tuner ran, how long, with what, and how it ended'),
	('kernels', 'what was compiled: registers, memory, whether the machine code is kept, and was verified'),
	('help', 'this table'));
