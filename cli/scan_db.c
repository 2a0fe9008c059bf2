/* See scan_db.h. */
#include "scan_db.h"

#include <errno.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "entry.h"
#include "facts_version.h"
#include "sandbox.h"
#include "scans.h"
#include "set_file.h"
#include "stamp.h"
#include "stored.h"

#define DAY_S 86400
#define CODES_MAX 8192u
#define OWN_FILES 3u

struct scan_db {
	struct scan_db_options o;
	struct scans *s;
	uint8_t judge[32];
	const char *layer_names[SANDBOX_N_LAYERS];
	uint8_t *seen; /* a bit a row's id */
	size_t seen_n; /* bytes */
	char *root;    /* of the given path walk_given() said last, without links; owned */
	size_t root_of;
	struct stat own[OWN_FILES];
	int error;
};

/* What is remembered of a file while it is in the window; the slot's. */
struct seen {
	int64_t id; /* of its row; 0: there is none */
	struct stamp stamp;
	bool from_store;
	size_t path_n;
	char path[];
};

/* A member that was not judged. */
struct known {
	int64_t id;
	uint64_t size;
	size_t member;
	enum verdict_value value;
	enum wlk_format_id hint;
	uint8_t sha256[32];
};

/* What is remembered of a folder; the folder's. */
struct memory {
	struct known *known;
	size_t n_known, known_room;
	uint8_t (*members)[32]; /* a digest each, of what the set's verdict depends on */
	size_t n_members, members_room;
	size_t n_beyond; /* members beyond those that a set can have */
	bool skipped;    /* not all were looked at */
	bool document;   /* hashed: */
	uint8_t document_sha256[32], digest[32];
};

static void fail(struct scan_db *db, int r)
{
	if (db->error == 0 && r < 0) {
		say("%s: %s", db->o.path, r == -EUCLEAN ? "damaged" : strerrordesc_np(-r));
		db->error = r;
	}
}

/* ---- digests ---- */

struct piece {
	const void *at;
	size_t n;
};

static bool hash(const struct piece *pieces, size_t n, uint8_t ret[32])
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool ok = c != NULL && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;

	for (size_t i = 0; i < n; i++)
		ok = ok && EVP_DigestUpdate(c, pieces[i].at, pieces[i].n) == 1;
	ok = ok && EVP_DigestFinal_ex(c, ret, NULL) == 1;
	EVP_MD_CTX_free(c);
	return ok;
}

/* Of all that can be read there. */
static bool hash_file(int fd, uint8_t ret[32])
{
	static uint8_t block[1 << 20];
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool ok = c != NULL && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;
	ssize_t n = 1;

	for (off_t at = 0; ok && n > 0; at += n) {
		n = pread(fd, block, sizeof(block), at);
		ok = n >= 0 && EVP_DigestUpdate(c, block, (size_t)n) == 1;
	}
	ok = ok && EVP_DigestFinal_ex(c, ret, NULL) == 1;
	EVP_MD_CTX_free(c);
	return ok;
}

/* ---- folders ---- */

static struct memory *memory_of(struct scan_db *db, struct folder *f)
{
	if (f == NULL)
		return NULL;
	if (f->known == NULL)
		f->known = calloc(1, sizeof(struct memory));
	if (f->known == NULL)
		fail(db, -ENOMEM);
	return f->known;
}

static bool grow(void **list, size_t n, size_t *room, size_t item)
{
	size_t wanted = *room > 0 ? *room : 64;
	void *bigger;

	while (wanted <= n)
		wanted *= 2;
	if (wanted == *room)
		return true;
	bigger = realloc(*list, wanted * item);
	if (bigger == NULL)
		return false;
	*list = bigger;
	*room = wanted;
	return true;
}

/* What the set's verdict can depend on of this member. */
static void remember_member(struct scan_db *db, const struct slot *slot, const struct scans_file *f)
{
	struct memory *m = memory_of(db, slot->folder);
	const char *name = slot->task.input.name + slot->task.input.member_at;
	const int value = f->verdict.value, state = (int)slot->task.input.state;
	const struct piece pieces[] = { { name, strlen(name) + 1 }, { f->sha256, 32 }, { f->key, STORE_KEY_BYTES },
		{ &f->facts, sizeof(f->facts) }, { &value, sizeof(value) }, { &state, sizeof(state) } };

	if (m == NULL)
		return;
	if (slot->member == SIZE_MAX) {
		m->n_beyond++;
		return;
	}
	if (!grow((void **)&m->members, slot->member, &m->members_room, 32)) {
		fail(db, -ENOMEM);
		return;
	}
	if (slot->member >= m->n_members) { /* those in between are told later */
		memset(m->members + m->n_members, 0, (slot->member + 1 - m->n_members) * 32);
		m->n_members = slot->member + 1;
	}
	if (!hash(pieces, sizeof(pieces) / sizeof(pieces[0]), m->members[slot->member]))
		fail(db, -ENOMEM);
}

static void remember_known(struct scan_db *db, const struct slot *slot, const struct scans_file *f)
{
	struct memory *m = memory_of(db, slot->folder);

	if (m == NULL)
		return;
	if (!grow((void **)&m->known, m->n_known, &m->known_room, sizeof(*m->known))) {
		fail(db, -ENOMEM);
		return;
	}
	m->known[m->n_known] = (struct known){ .id = f->id,
		.size = f->stat.size,
		.member = slot->member,
		.value = (enum verdict_value)f->verdict.value,
		.hint = format_hint(slot->task.input.name) };
	memcpy(m->known[m->n_known++].sha256, f->sha256, 32);
}

void scan_db_forget(struct folder *folder)
{
	struct memory *m = folder->known;

	if (m == NULL)
		return;
	free(m->known);
	free(m->members);
	free(m);
	folder->known = NULL;
}

/* ---- rows ---- */

/* What the report depends on besides the engine; of a member also what the others say of it. */
static bool question(struct scan_db *db, const struct slot *slot, const uint8_t sha256[32], bool names_idle,
    uint8_t key[STORE_KEY_BYTES])
{
	const struct task *t = &slot->task;
	struct memory *m = memory_of(db, slot->folder);
	const uint8_t part = (uint8_t)t->part;
	struct piece pieces[] = { { key, STORE_KEY_BYTES }, { &part, 1 }, { NULL, 0 }, { &t->member, 0 } };

	stored_key(STORED_FOR_ALL, db->o.policy, t->input.name, sha256, names_idle, key);
	if (t->part == JOB_PART_MEMBER_AGAIN && t->document_size > 0 && m != NULL) {
		m->document = m->document || hash_file(t->document, m->document_sha256);
		if (!m->document)
			return false;
		pieces[2] = (struct piece){ m->document_sha256, 32 };
		pieces[3].n = sizeof(t->member);
	}
	return hash(pieces, sizeof(pieces) / sizeof(pieces[0]), key);
}

/* The given path, without links: the same file has one row however it was named. */
static const char *root_of(struct scan_db *db, size_t path)
{
	if (db->root == NULL || db->root_of != path) {
		free(db->root);
		db->root = realpath(walk_given(db->o.walk, path), NULL);
		db->root_of = path;
	}
	return db->root != NULL ? db->root : walk_given(db->o.walk, path);
}

static struct seen *seen_new(struct scan_db *db, const struct input *in)
{
	const char *root = root_of(db, in->path), *rest = in->member_at > 0 ? in->name + in->member_at : "";
	const char *slash = rest[0] != '\0' && strcmp(root, "/") != 0 ? "/" : "";
	size_t n = strlen(root) + strlen(slash) + strlen(rest);
	struct seen *seen = n < SCANS_PATH_MAX ? calloc(1, sizeof(*seen) + n + 1) : NULL;

	if (seen == NULL) {
		fail(
		    db, n < SCANS_PATH_MAX ? -ENOMEM : 0); /* a longer one was given by name, and could not be opened */
		return NULL;
	}
	seen->path_n = n;
	(void)snprintf(seen->path, n + 1, "%s%s%s", root, slash, rest);
	return seen;
}

static void mark_seen(struct scan_db *db, int64_t id)
{
	size_t byte = (size_t)id / 8, n = db->seen_n;

	if (!grow((void **)&db->seen, byte, &db->seen_n, 1)) {
		fail(db, -ENOMEM);
		return;
	}
	memset(db->seen + n, 0, db->seen_n - n);
	db->seen[byte] |= (uint8_t)(1u << (id % 8));
}

static bool was_seen(const struct scan_db *db, int64_t id)
{
	return (size_t)id / 8 < db->seen_n && (db->seen[id / 8] >> (id % 8) & 1) != 0;
}

/* Would it be the same report again? */
static bool is_fresh(struct scan_db *db, const struct slot *slot, bool by_digest, const struct scans_file *f)
{
	struct report_final final = { .chosen = (enum report_chosen)f->chosen };
	uint8_t key[STORE_KEY_BYTES], sha256[32];

	if (!f->has_report || f->chosen >= REPORT_N_CHOSEN || !format_by_number(f->reader, &final.reader) ||
	    f->facts != facts_version(&final, format_hint(slot->task.input.name)) ||
	    !question(db, slot, f->sha256, f->names_idle, key) || memcmp(key, f->key, sizeof(key)) != 0)
		return false;
	return !by_digest || (hash_file(slot->task.input.fd, sha256) && memcmp(sha256, f->sha256, 32) == 0);
}

/* ---- what is known ---- */

/* The facts of a row and their rows.  Return: 0 or negative errno. */
static int recall_one(
    struct scan_db *db, const struct known *k, struct entry *e, struct facts **ret, struct tensor_rows **ret_rows)
{
	struct tensor_rows *rows = tensor_rows_new(TASK_ROWS_MAX);
	struct store_row row = { .size = k->size };
	int r = rows != NULL ? scans_report(db->s, k->id, &row.entry) : -ENOMEM;

	memcpy(row.sha256, k->sha256, 32);
	r = r == 0 ? -EUCLEAN : r < 0 ? r : stored_facts(&row, k->hint, tensor_rows_sink(rows), e, ret);
	if (r == 0 && tensor_rows_end(rows) < 0) {
		facts_free(*ret);
		r = -ENOMEM;
	}
	if (r < 0)
		tensor_rows_free(rows);
	else
		*ret_rows = rows;
	return r == -EBADMSG || r == -ESTALE ? -EUCLEAN : r;
}

/* By another policy, out of what is known.  Return: false: the file has to be read. */
static bool judge_again(struct scan_db *db, struct slot *slot, const struct scans_file *f)
{
	struct known k = { .id = f->id, .size = f->stat.size, .hint = format_hint(slot->task.input.name) };
	struct task *t = &slot->task;
	const struct verdict_context c = { .name = t->input.name,
		.path = rule_path(t->input.name),
		.layer_names = db->layer_names,
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = (int64_t)time(NULL) };
	struct verdict v;
	struct entry e;

	memcpy(k.sha256, f->sha256, 32);
	if (recall_one(db, &k, &e, &t->facts, &t->rows) < 0)
		return false;
	if (!task_add_findings(t, t->facts) || stored_judge(db->o.policy, t->facts, &e, &c, &v) < 0) {
		fail(db, -ENOMEM);
		return false;
	}
	t->value = v.value;
	t->verdict = v.json;
	t->done = true;
	return true;
}

static enum window_known known_row(struct scan_db *db, struct slot *slot, struct seen *seen, const struct scans_file *f)
{
	const struct task *t = &slot->task;
	const struct stamp *now = &seen->stamp;
	bool same =
	    f->settled && now->trust != STAMP_TELLS_NOTHING && memcmp(&f->stat, &now->stat, sizeof(f->stat)) == 0;

	seen->id = f->id;
	mark_seen(db, f->id);
	if (!same && !db->o.outdated)
		return WINDOW_NEW;
	if (f->again && t->part == JOB_PART_MEMBER)
		return WINDOW_PUT_OFF;
	if (!is_fresh(db, slot, db->o.verify || (now->trust == STAMP_NEEDS_DIGEST && !db->o.outdated), f))
		return WINDOW_NEW;
	if (memcmp(f->verdict.judge, db->judge, sizeof(db->judge)) != 0) {
		seen->from_store = true;
		return judge_again(db, slot, f) ? WINDOW_JUDGED : WINDOW_NEW;
	}
	tally_add_known(db->o.tally, verdict_text((enum verdict_value)f->verdict.value), f->verdict.format);
	remember_member(db, slot, f);
	remember_known(db, slot, f);
	return WINDOW_KNOWN;
}

enum window_known scan_db_known(struct scan_db *db, struct slot *slot)
{
	struct task *t = &slot->task;
	struct seen *seen = slot->seen != NULL ? slot->seen : seen_new(db, &t->input);
	enum window_known known = WINDOW_NEW;
	struct scans_file f;
	int r;

	slot->seen = seen;
	t->report_max = SCANS_REPORT_MAX;
	if (seen == NULL)
		return WINDOW_NEW;
	stamp_take(&seen->stamp, t->input.fd);
	r = scans_find(db->s, bytes_of(seen->path, seen->path_n), &f);
	fail(db, r);
	if (r == 1 && t->input.trouble != NULL)
		mark_seen(db, f.id);
	else if (r == 1)
		known = known_row(db, slot, seen, &f);
	if (known == WINDOW_NEW) {
		seen->from_store = false;
		stamp_before_reading(&seen->stamp, t->input.fd);
	}
	if (r != 0 || !db->o.outdated)
		return known;
	if (memory_of(db, slot->folder) != NULL)
		memory_of(db, slot->folder)->skipped = true;
	return WINDOW_KNOWN;
}

int scan_db_recall(struct scan_db *db, struct folder *folder)
{
	struct memory *m = folder->known;
	int r = 0;

	for (size_t i = 0; m != NULL && i < m->n_known && r == 0; i++) {
		const struct known *k = &m->known[i];
		struct tensor_rows *rows;
		struct facts *f;
		struct entry e;

		r = recall_one(db, k, &e, &f, &rows);
		if (r < 0)
			break;
		set_file_judged(folder->set, k->member, f, k->value, rows);
		facts_free(f);
		tensor_rows_free(rows);
	}
	if (m != NULL)
		m->n_known = 0; /* each once */
	fail(db, r);
	return r;
}

bool scan_db_set_known(struct scan_db *db, struct slot *slot)
{
	struct memory *m = memory_of(db, slot->folder);
	const uint64_t version = facts_version_of_set();
	const char *root = root_of(db, slot->folder->path);
	struct scans_verdict v;
	uint8_t members[32];
	int r;

	if (m == NULL || m->skipped)
		return m != NULL;
	const struct piece pieces[] = { { m->members, m->n_members * 32 }, { &m->n_beyond, sizeof(m->n_beyond) },
		{ &version, sizeof(version) } };
	if (!hash(pieces, sizeof(pieces) / sizeof(pieces[0]), m->digest))
		fail(db, -ENOMEM);
	r = scans_find_set(db->s, bytes_of_text(root), members, &v);
	fail(db, r);
	if (r == 1 && memcmp(members, m->digest, 32) == 0 && memcmp(v.judge, db->judge, 32) == 0) {
		if (v.value != SCANS_NONE)
			tally_add_known(db->o.tally, verdict_text((enum verdict_value)v.value), NULL);
		return true;
	}
	if (scan_db_recall(db, slot->folder) == 0 && !set_file_is_set(slot->folder->set)) {
		v = (struct scans_verdict){ .value = SCANS_NONE, .codes = "", .at = (int64_t)time(NULL) };
		memcpy(v.judge, db->judge, 32);
		fail(db, scans_put_set(db->s, bytes_of_text(root), m->digest, &v));
	}
	return false;
}

/* ---- keeping ---- */

/* Each code of the findings once, in their order. */
static void codes_of(const json_t *verdict, char ret[CODES_MAX])
{
	const json_t *list = json_object_get(verdict, "findings");
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *code = json_string_value(json_object_get(json_array_get(list, i), "code"));
		size_t code_n = code != NULL ? strlen(code) : 0;
		bool told = false;

		for (const char *at = ret; code_n > 0 && (at = strstr(at, code)) != NULL && !told; at += code_n)
			told = (at == ret || at[-1] == ' ') && (at[code_n] == ' ' || at[code_n] == '\0');
		if (code_n > 0 && !told && CODES_MAX - n > code_n + 1)
			n += (size_t)snprintf(ret + n, CODES_MAX - n, "%s%s", n > 0 ? " " : "", code);
	}
}

/* The report behind its entry's head.  Return: it, malloc()ed; empty: nothing to be kept. */
static struct bytes entry_of(const struct task *t, uint64_t version)
{
	const struct entry e = { .source = t->input.source,
		.scanned_at = (int64_t)time(NULL),
		.us = (uint64_t)(now_us() - t->started_us),
		.layers = t->layers,
		.facts = version };
	uint8_t *at = t->report_n > 0 ? malloc(ENTRY_HEAD + t->report_n) : NULL;

	if (at == NULL)
		return (struct bytes){ 0 };
	entry_head(&e, at);
	memcpy(at + ENTRY_HEAD, t->report, t->report_n);
	return bytes_of(at, ENTRY_HEAD + entry_strip(at + ENTRY_HEAD, t->report_n));
}

static void keep_judged(struct scan_db *db, const struct slot *slot, struct scans_file *f)
{
	const struct task *t = &slot->task;
	const struct report_final *final = &t->facts->final;
	struct bytes entry = { 0 };

	f->facts = facts_version(final, format_hint(t->input.name));
	if (stored_is_fact(t->facts) && question(db, slot, final->sha256, final->names_idle, f->key))
		entry = entry_of(t, f->facts);
	f->has_report = entry.n > 0;
	f->reader = format_number(final->reader);
	f->chosen = (unsigned) final->chosen;
	f->names_idle = final->names_idle;
	f->again = t->part == JOB_PART_MEMBER_AGAIN;
	if (final->has_digest)
		memcpy(f->sha256, final->sha256, 32);
	fail(db, scans_put(db->s, f, entry));
	if (db->error == 0)
		mark_seen(db, f->id);
	free((void *)(uintptr_t)entry.at);
}

static bool keep_set(struct scan_db *db, const struct slot *slot, struct scans_verdict *v)
{
	struct memory *m = slot->folder->known;

	if (m != NULL && v->value == VERDICT_ERROR) /* an attempt, whatever its members: never the same again */
		memset(m->digest, 0, sizeof(m->digest));
	if (m != NULL)
		fail(db, scans_put_set(db->s, bytes_of_text(root_of(db, slot->folder->path)), m->digest, v));
	return true;
}

bool scan_db_keep(struct scan_db *db, const struct slot *slot)
{
	const struct task *t = &slot->task;
	const struct seen *seen = slot->seen;
	const char *format = json_string_value(json_object_get(t->verdict, "format"));
	static char codes[CODES_MAX];
	struct scans_file f, before;
	bool news = true;
	int r;

	codes_of(t->verdict, codes);
	f = (struct scans_file){ .verdict = { .value = (int)t->value,
				     .format = format ? format : "",
				     .codes = codes,
				     .at = (int64_t)time(NULL) } };
	memcpy(f.verdict.judge, db->judge, 32);
	if (slot->of_folder)
		return keep_set(db, slot, &f.verdict);
	if (seen == NULL || t->facts == NULL)
		return true;
	f.path = bytes_of(seen->path, seen->path_n);
	f.stat = seen->stamp.stat;
	f.settled = seen->stamp.settled;
	if (!seen->from_store)
		keep_judged(db, slot, &f);
	else {
		r = scans_find(db->s, f.path, &before);
		fail(db, r);
		if (r == 1) {
			news = before.verdict.value != f.verdict.value || strcmp(before.verdict.codes, codes) != 0;
			memcpy(f.sha256, before.sha256, 32);
			memcpy(f.key, before.key, STORE_KEY_BYTES);
			f.facts = before.facts;
			fail(db, scans_put_verdict(db->s, seen->id, &f.verdict));
		}
	}
	remember_member(db, slot, &f);
	return news;
}

/* ---- beginning and end ---- */

struct gone {
	const struct scan_db *db;
	int64_t *ids;
	size_t n, room;
	bool failed;
};

static bool add_gone(void *ctx, const struct scans_file *f)
{
	struct gone *g = ctx;

	if (was_seen(g->db, f->id))
		return true;
	g->failed = !grow((void **)&g->ids, g->n, &g->room, sizeof(*g->ids));
	if (!g->failed)
		g->ids[g->n++] = f->id;
	return !g->failed;
}

static void forget_gone(struct scan_db *db, size_t path)
{
	const char *root = root_of(db, path);
	struct gone g = { .db = db };
	struct stat st;

	if (stat(root, &st) < 0 || !S_ISDIR(st.st_mode))
		return;
	fail(db, scans_each(db->s, bytes_of_text(strcmp(root, "/") == 0 ? "" : root), add_gone, &g));
	for (size_t i = 0; i < g.n && db->error == 0; i++)
		fail(db, scans_forget(db->s, g.ids[i]));
	fail(db, g.failed ? -ENOMEM : 0);
	free(g.ids);
}

void scan_db_tick(struct scan_db *db)
{
	fail(db, scans_tick(db->s));
}

void scan_db_finish(struct scan_db *db, bool whole)
{
	for (size_t i = 0; whole && !db->o.outdated && db->error == 0 && i < walk_given_count(db->o.walk); i++)
		forget_gone(db, i);
	fail(db, scans_flush(db->s));
}

bool scan_db_owns(const struct scan_db *db, const struct stat *st)
{
	for (size_t i = 0; i < OWN_FILES; i++) {
		if (st->st_dev == db->own[i].st_dev && st->st_ino == db->own[i].st_ino)
			return true;
	}
	return false;
}

/* What SQLite keeps beside it, too; they are there from the first look on. */
static void look_at_own(struct scan_db *db)
{
	static const char *const more[OWN_FILES] = { "", "-wal", "-shm" };
	char path[PATH_MAX];

	for (size_t i = 0; i < OWN_FILES; i++) {
		if (snprintf(path, sizeof(path), "%s%s", db->o.path, more[i]) >= (int)sizeof(path) ||
		    stat(path, &db->own[i]) < 0)
			db->own[i] = (struct stat){ 0 };
	}
}

int scan_db_error(const struct scan_db *db)
{
	return db->error;
}

/* The paths as they were given, which rules of policies match: a line each. */
static char *given_text(const struct walk *w, size_t *ret_n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_n);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < walk_given_count(w); i++)
		fprintf(f, "%s%c", walk_given(w, i), '\0');
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* Who judges: another policy or build says something else; one of the user's perhaps on another day, or of another name. */
static bool judge_of(const struct scan_db_options *o, uint8_t ret[32])
{
	const uint64_t build = sandbox_build_id();
	const int64_t day = o->lasting ? 0 : (int64_t)time(NULL) / DAY_S;
	size_t n = 0;
	_cleanup_(freep) char *given = o->lasting ? NULL : given_text(o->walk, &n);
	const struct piece pieces[] = { { policy_sha256(o->policy), 64 }, { &build, sizeof(build) },
		{ &day, sizeof(day) }, { given, n } };

	return (o->lasting || given != NULL) && hash(pieces, sizeof(pieces) / sizeof(pieces[0]), ret);
}

int scan_db_open(const struct scan_db_options *o, struct scan_db **ret)
{
	struct scan_db *db = calloc(1, sizeof(*db));
	char error[STORE_ERROR_MAX] = "out of memory";
	int r = -ENOMEM;

	if (db != NULL && judge_of(o, db->judge))
		r = scans_open(o->path, STORE_KEEP, &db->s, error);
	if (r < 0) {
		say("%s", error);
		free(db);
		return r;
	}
	db->o = *o;
	for (int i = 0; i < SANDBOX_N_LAYERS; i++)
		db->layer_names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	look_at_own(db);
	*ret = db;
	return 0;
}

void scan_db_close(struct scan_db *db)
{
	if (db == NULL)
		return;
	scans_close(db->s);
	free(db->seen);
	free(db->root);
	free(db);
}
