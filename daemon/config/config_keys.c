/* Every key of the configuration in one table, and one reader a type.  Defaults are texts read by the same readers,
 * so what --help prints is what is used. */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "checked.h"
#include "config_impl.h"
#include "policy.h"

#define PATH_BYTES_MAX 1024u  /* what document.h takes for one value */
#define SOCKET_BYTES_MAX 107u /* sockaddr_un.sun_path with its NUL */
#define NAME_BYTES_MAX 64u    /* of a policy */
#define ID_NONE UINT32_MAX    /* (uid_t)-1 and (gid_t)-1 mean "leave as it is" to chown(2) */
#define SECONDS_MAX 86400u    /* a day */
#define DAYS_MAX 36500u       /* a century */
#define SLOTS_MAX 1024u
#define MODE_MAX 0777u
#define FILES_RATE_MAX 1000000u /* a minute; see rate.h */
#define BYTES_RATE_MAX (UINT64_C(1) << 50)
#define ROOM_MIN (UINT64_C(16) << 20) /* what a body of unknown length takes at a time (spool.h) */

#define KEY(field) .name = #field, .offset = offsetof(struct config, field)

const struct key config_keys[] = {
	{ KEY(socket), .option = "socket", .type = KEY_TEXT, .min = 1, .max = SOCKET_BYTES_MAX,
	    .fallback = "/run/weighlock/weighlock.sock",
	    .help = "listen on this path; ignored when the service manager passes a socket" },
	{ KEY(clamd_socket), .option = "clamd-socket", .type = KEY_TEXT, .max = SOCKET_BYTES_MAX, .fallback = "",
	    .help = "listen on this path, too, for clients of clamd(8); empty: do not" },
	{ KEY(socket_mode), .option = "socket-mode", .type = KEY_MODE, .max = MODE_MAX, .fallback = "0660",
	    .help = "permissions of the sockets" },
	{ .name = "socket_group",
	    .offset = offsetof(struct config, socket_gid),
	    .option = "socket-group",
	    .type = KEY_GROUP,
	    .fallback = "",
	    .help = "group of the sockets; empty: as created" },
	{ KEY(allow_uids), .option = "allow-uid", .type = KEY_UIDS,
	    .help = "users who may connect, besides root and the daemon's own" },
	{ KEY(allow_gids), .option = "allow-gid", .type = KEY_GIDS, .help = "groups whose members may connect" },
	{ KEY(reviewer_uids), .type = KEY_UIDS, .help = "users who may make and revoke exceptions" },
	{ KEY(tenant_uids), .option = "tenant-uid", .type = KEY_UIDS,
	    .help = "users whose requests may name a tenant, besides root and the daemon's own" },
	{ KEY(claim_uids), .option = "claim-uid", .type = KEY_UIDS,
	    .help = "users who may claim the digest of a file of which only the structure is read" },
	{ KEY(spool_dir), .option = "spool-dir", .type = KEY_TEXT, .min = 1, .max = PATH_BYTES_MAX,
	    .fallback = "/var/tmp", .help = "folder for bodies too large for memory; needs O_TMPFILE" },
	{ KEY(spool_bytes), .option = "spool-bytes", .type = KEY_BYTES, .max = UINT64_C(1) << 60, .fallback = "64 GiB",
	    .help = "all bodies in spool-dir together; free space bounds them too" },
	{ KEY(spool_bytes_per_tenant), .option = "spool-bytes-per-tenant", .type = KEY_ROOM, .min = ROOM_MIN,
	    .max = UINT64_C(1) << 60, .fallback = "auto",
	    .help = "of those, for one tenant; auto: a user half, a tenant that it names half of that" },
	{ KEY(memfd_max), .option = "memfd-max", .type = KEY_BYTES, .max = UINT64_C(1) << 40, .fallback = "64 MiB",
	    .help = "bodies up to this size are kept in memory" },
	{ KEY(memfd_bytes), .option = "memfd-bytes", .type = KEY_BYTES, .max = UINT64_C(1) << 60, .fallback = "1 GiB",
	    .help = "all bodies in memory together; more go to spool-dir" },
	{ KEY(max_body), .option = "max-body", .type = KEY_BYTES, .min = 1, .max = UINT64_C(1) << 40,
	    .fallback = "1 TiB", .help = "larger files are refused (413)" },
	{ KEY(max_connections), .option = "max-connections", .type = KEY_COUNT, .min = 1, .max = 65536,
	    .fallback = "512", .help = "connections at a time" },
	{ KEY(max_connections_per_uid), .option = "max-connections-per-uid", .type = KEY_COUNT, .min = 1, .max = 65536,
	    .fallback = "256", .help = "of those, from one user" },
	{ KEY(queue_max), .option = "queue-max", .type = KEY_COUNT, .min = 1, .max = 65536, .fallback = "1024",
	    .help = "files admitted and not judged yet; more are refused (503)" },
	{ KEY(queue_max_per_tenant), .option = "queue-max-per-tenant", .type = KEY_COUNT, .min = 1, .max = 65536,
	    .fallback = "512", .help = "of those, from one tenant" },
	{ KEY(workers), .option = "workers", .type = KEY_SLOTS, .min = 1, .max = SLOTS_MAX, .fallback = "auto",
	    .help = "scans at a time; auto: one a processor and one more, at least 3" },
	{ KEY(workers_per_tenant), .option = "workers-per-tenant", .type = KEY_SHARE, .min = 1, .max = SLOTS_MAX,
	    .fallback = "auto", .help = "of those, for one tenant; auto: all but one of three or more, else all" },
	{ KEY(files_per_minute_per_tenant), .option = "files-per-minute-per-tenant", .type = KEY_RATE, .min = 1,
	    .max = FILES_RATE_MAX, .fallback = "off", .help = "files from one tenant; more are refused (429)" },
	{ KEY(bytes_per_minute_per_tenant), .option = "bytes-per-minute-per-tenant", .type = KEY_BYTE_RATE, .min = 1,
	    .max = BYTES_RATE_MAX, .fallback = "off",
	    .help = "bytes of files from one tenant; more are refused (429)" },
	{ KEY(tenants), .type = KEY_TENANTS, .help = "limits of single tenants: NAME: { workers: N, ... }" },
	{ KEY(large_file), .option = "large-file", .type = KEY_BYTES, .min = 1, .max = UINT64_C(1) << 60,
	    .fallback = "1 GiB",
	    .help = "one slot is never given to files above this size (unless there is only one)" },
	{ KEY(head_seconds), .option = "head-seconds", .type = KEY_COUNT, .min = 1, .max = SECONDS_MAX, .fallback = "5",
	    .help = "time for a request's head" },
	{ KEY(idle_seconds), .option = "idle-seconds", .type = KEY_COUNT, .min = 1, .max = SECONDS_MAX,
	    .fallback = "60", .help = "time between two requests of a connection" },
	{ KEY(body_min_bytes_per_10s), .option = "body-min-bytes-per-10s", .type = KEY_BYTES, .max = UINT64_C(1) << 40,
	    .fallback = "64 KiB", .help = "slower bodies are refused (408); 0: never" },
	{ KEY(reply_seconds), .option = "reply-seconds", .type = KEY_COUNT, .min = 1, .max = SECONDS_MAX,
	    .fallback = "30", .help = "time for a client to take its answer" },
	{ KEY(drain_seconds), .option = "drain-seconds", .type = KEY_COUNT, .min = 1, .max = SECONDS_MAX,
	    .fallback = "30", .help = "after SIGTERM, time for running scans" },
	{ KEY(progress_seconds), .option = "progress-seconds", .type = KEY_COUNT, .min = 1, .max = 60, .fallback = "5",
	    .help = "a stream says something at least this often" },
	{ KEY(policies), .type = KEY_POLICIES, .help = "names for policy files: a request says policy=NAME" },
	{ KEY(default_policy), .option = "policy", .type = KEY_POLICY, .min = 1, .max = PATH_BYTES_MAX,
	    .fallback = "default",
	    .help = "policy of requests that name none: a built-in or configured name, or a file" },
	{ KEY(shadow_policy), .type = KEY_POLICY, .max = PATH_BYTES_MAX, .fallback = "",
	    .help = "judges what default_policy judged again, and only counts where it disagrees; empty: none" },
	{ KEY(state_dir), .option = "state-dir", .type = KEY_TEXT, .min = 1, .max = PATH_BYTES_MAX,
	    .fallback = "/var/lib/weighlock",
	    .help = "folder for what outlives a request; unused while nothing is kept" },
	{ KEY(store), .option = "store", .type = KEY_FLAG, .fallback = "off",
	    .help = "keep reports in state-dir, for GET /v1/verdicts/{sha256}" },
	{ KEY(store_rows), .option = "store-rows", .type = KEY_COUNT, .min = 1, .max = 1000000000,
	    .fallback = "1000000", .help = "reports kept; beyond it those unused for longest go" },
	{ KEY(store_bytes), .option = "store-bytes", .type = KEY_BYTES, .min = UINT64_C(1) << 20,
	    .max = UINT64_C(1) << 50, .fallback = "1 GiB", .help = "all kept reports together" },
	{ KEY(store_report_max), .option = "store-report-max", .type = KEY_BYTES, .min = 256, .max = CONFIG_REPORT_MAX,
	    .fallback = "64 KiB", .help = "longer reports are not kept" },
	{ KEY(store_days), .option = "store-days", .type = KEY_COUNT, .max = DAYS_MAX, .fallback = "0",
	    .help = "reports that nobody asked for on so many days go; 0: only for room" },
	{ KEY(audit), .option = "audit", .type = KEY_AUDIT, .fallback = "off",
	    .help = "record verdicts in state-dir: off, on, or required (none is given that is not recorded)" },
	{ KEY(audit_bytes), .option = "audit-bytes", .type = KEY_BYTES, .min = UINT64_C(64) << 10,
	    .max = UINT64_C(1) << 40, .fallback = "64 MiB", .help = "size at which the audit log's next file begins" },
	{ KEY(audit_texts_days), .type = KEY_COUNT, .max = DAYS_MAX, .fallback = "0",
	    .help = "with pseudonym_key: names and tenants are kept beside the log for so long; 0: not at all" },
	{ KEY(pseudonym_key), .type = KEY_TEXT, .max = PATH_BYTES_MAX, .fallback = "",
	    .help = "names and tenants in log and audit log are pseudonyms by this key: as signing_key; empty: they "
		    "are not" },
	{ KEY(exceptions), .type = KEY_FLAG, .fallback = "off",
	    .help = "verdicts say what is effective by exceptions of people, kept in state_dir" },
	{ KEY(signing_key), .option = "signing-key", .type = KEY_TEXT, .max = PATH_BYTES_MAX, .fallback = "",
	    .help = "ed25519 key (PEM) for attest=1: a file with a /, or a credential's name; empty: none" },
	{ KEY(log_level), .option = "log-level", .type = KEY_LEVEL, .fallback = "info",
	    .help = "error, warning, info (a line a verdict) or debug" },
	{ KEY(journal), .option = "journal", .type = KEY_TEXT, .min = 1, .max = SOCKET_BYTES_MAX, .fallback = "auto",
	    .help = "verdicts as entries with fields for journald: auto, off, or its socket" },
	{ KEY(worker), .option = "worker", .type = KEY_TEXT, .max = PATH_BYTES_MAX, .fallback = "",
	    .help = "the jailed program; empty: the weighlock-worker that belongs to this weighlockd" },
};

const size_t config_n_keys = sizeof(config_keys) / sizeof(config_keys[0]);

_Static_assert(
    sizeof(config_keys) / sizeof(config_keys[0]) <= sizeof(((struct config *)NULL)->from_option), "one mark an option");

/* ---- readers: 0, -EINVAL, -ENOMEM; store on success only ---- */

static int read_number(const char *text, size_t n, uint64_t base, uint64_t *ret)
{
	uint64_t v = 0;

	if (n == 0)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || (uint64_t)(text[i] - '0') >= base)
			return -EINVAL;
		if (!mul_u64(v, base, &v) || !add_u64(v, (uint64_t)(text[i] - '0'), &v))
			return -EINVAL;
	}
	*ret = v;
	return 0;
}

static int read_bounded(const struct key *k, const char *text, uint64_t base, uint64_t *ret)
{
	uint64_t v;
	int r = read_number(text, strlen(text), base, &v);

	if (r < 0)
		return r;
	if (v < k->min || v > k->max)
		return -EINVAL;
	*ret = v;
	return 0;
}

static int read_unsigned(const struct key *k, const char *text, uint64_t base, unsigned *ret)
{
	uint64_t v;
	int r = read_bounded(k, text, base, &v);

	if (r == 0)
		*ret = (unsigned)v;
	return r;
}

/* "64 MiB", "64MiB", "67108864" */
static int read_bytes(const struct key *k, const char *text, uint64_t *ret)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits + (text[digits] == ' ');
	uint64_t v;

	if (read_number(text, digits, 10, &v) < 0 || (text[digits] != '\0' && unit[0] == '\0'))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i]) != 0)
			continue;
		if (!mul_u64(v, UINT64_C(1) << (10 * i), &v) || v < k->min || v > k->max)
			return -EINVAL;
		*ret = v;
		return 0;
	}
	return -EINVAL;
}

static int read_text(const struct key *k, const char *text, char **ret)
{
	size_t n = strlen(text);
	char *copy;

	if (n < k->min || n > k->max)
		return -EINVAL;
	copy = strdup(text);
	if (copy == NULL)
		return -ENOMEM;
	free(*ret);
	*ret = copy;
	return 0;
}

static bool read_id(const char *text, uint32_t *ret)
{
	uint64_t v;

	if (read_number(text, strlen(text), 10, &v) < 0 || v >= ID_NONE)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static int read_user(const char *text, uint32_t *ret)
{
	const struct passwd *user;

	if (read_id(text, ret))
		return 0;
	user = getpwnam(text);
	if (user == NULL)
		return -EINVAL;
	*ret = user->pw_uid;
	return 0;
}

static int read_group(const char *text, uint32_t *ret)
{
	const struct group *group;

	if (read_id(text, ret))
		return 0;
	group = getgrnam(text);
	if (group == NULL)
		return -EINVAL;
	*ret = group->gr_gid;
	return 0;
}

static int add_id(struct config_ids *ids, uint32_t id)
{
	uint32_t *list;

	if (ids->n == CONFIG_LIST_MAX)
		return -EINVAL;
	list = reallocarray(ids->list, ids->n + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	ids->list = list;
	ids->list[ids->n++] = id;
	return 0;
}

static int read_into_ids(const char *text, int (*read)(const char *, uint32_t *), struct config_ids *ids)
{
	uint32_t id;
	int r = read(text, &id);

	return r < 0 ? r : add_id(ids, id);
}

static int read_optional_group(const char *text, uint32_t *ret)
{
	if (text[0] != '\0')
		return read_group(text, ret);
	*ret = ID_NONE;
	return 0;
}

static int read_slots(const struct key *k, const char *text, unsigned *ret)
{
	long processors;

	if (strcmp(text, "auto") != 0)
		return read_unsigned(k, text, 10, ret);
	/* One tenant may hold all but one (tenant.c): so each can use all processors, and none keeps the others out, however few
	 * these are. */
	processors = sysconf(_SC_NPROCESSORS_ONLN);
	*ret = processors < 2 ? 3 : processors >= (long)SLOTS_MAX ? SLOTS_MAX : (unsigned)processors + 1;
	return 0;
}

static int read_share(const struct key *k, const char *text, unsigned *ret)
{
	if (strcmp(text, "auto") != 0)
		return read_unsigned(k, text, 10, ret);
	*ret = 0;
	return 0;
}

static int read_room(const struct key *k, const char *text, uint64_t *ret)
{
	if (strcmp(text, "auto") != 0)
		return read_bytes(k, text, ret);
	*ret = 0;
	return 0;
}

static int read_rate(const struct key *k, const char *text, uint64_t *ret)
{
	if (strcmp(text, "off") != 0)
		return k->type == KEY_RATE ? read_bounded(k, text, 10, ret) : read_bytes(k, text, ret);
	*ret = CONFIG_RATE_OFF;
	return 0;
}

static int read_flag(const char *text, bool *ret)
{
	bool on = strcmp(text, "on") == 0;

	if (!on && strcmp(text, "off") != 0)
		return -EINVAL;
	*ret = on;
	return 0;
}

static const char *const level_names[] = { "error", "warning", "info", "debug" };
static const char *const audit_names[] = { "off", "on", "required" };

/* Return: its place among @n names; -EINVAL. */
static int read_name(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, names[i]) == 0)
			return (int)i;
	}
	return -EINVAL;
}

static int read_level(const char *text, enum config_log_level *ret)
{
	int at = read_name(text, level_names, sizeof(level_names) / sizeof(level_names[0]));

	if (at < 0)
		return at;
	*ret = (enum config_log_level)at;
	return 0;
}

static int read_audit(const char *text, enum config_audit *ret)
{
	int at = read_name(text, audit_names, sizeof(audit_names) / sizeof(audit_names[0]));

	if (at < 0)
		return at;
	*ret = (enum config_audit)at;
	return 0;
}

/* ---- policies ---- */

static bool is_policy_name(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	return n > 0 && n <= NAME_BYTES_MAX && text[n] == '\0';
}

static bool is_builtin(const char *name)
{
	for (const char *const *b = policy_builtin_names; *b != NULL; b++) {
		if (strcmp(*b, name) == 0)
			return true;
	}
	return false;
}

int config_add_policy(struct config *c, const char *name, const char *file)
{
	struct config_policy *list, added = { 0 };

	if (!is_policy_name(name) || file[0] == '\0' || strlen(file) > PATH_BYTES_MAX)
		return -EINVAL;
	/* A file that calls itself "strict" must not quietly replace what everybody takes that name for. */
	if (is_builtin(name))
		return -EEXIST;
	list = reallocarray(c->policies, c->n_policies + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	c->policies = list;
	added.name = strdup(name);
	added.file = strdup(file);
	if (added.name == NULL || added.file == NULL) {
		free(added.name);
		free(added.file);
		return -ENOMEM;
	}
	c->policies[c->n_policies++] = added;
	return 0;
}

/* ---- tenants ---- */

#define TENANT_KEY(field) .name = #field, .offset = offsetof(struct config_tenant, field)

const struct key config_tenant_keys[] = {
	{ TENANT_KEY(workers), .type = KEY_COUNT, .min = 1, .max = SLOTS_MAX },
	{ TENANT_KEY(queue_max), .type = KEY_COUNT, .min = 1, .max = 65536 },
	{ TENANT_KEY(spool_bytes), .type = KEY_BYTES, .min = ROOM_MIN, .max = UINT64_C(1) << 60 },
	{ TENANT_KEY(files_per_minute), .type = KEY_RATE, .min = 1, .max = FILES_RATE_MAX },
	{ TENANT_KEY(bytes_per_minute), .type = KEY_BYTE_RATE, .min = 1, .max = BYTES_RATE_MAX },
};

const size_t config_n_tenant_keys = sizeof(config_tenant_keys) / sizeof(config_tenant_keys[0]);

/* What a request may say, and "uid:1000" of those that say nothing. */
static bool is_tenant_name(const char *text)
{
	uint32_t uid;

	return strncmp(text, "uid:", 4) == 0 ? read_id(text + 4, &uid) : is_policy_name(text);
}

int config_add_tenant(struct config *c, const char *name, struct config_tenant **ret)
{
	struct config_tenant *list;

	if (!is_tenant_name(name) || strlen(name) > NAME_BYTES_MAX || c->n_tenants == CONFIG_LIST_MAX)
		return -EINVAL;
	list = reallocarray(c->tenants, c->n_tenants + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	c->tenants = list;
	*ret = &list[c->n_tenants];
	**ret = (struct config_tenant){ .name = strdup(name) };
	if ((*ret)->name == NULL)
		return -ENOMEM;
	c->n_tenants++;
	return 0;
}

int key_set_tenant(const struct key *k, struct config_tenant *t, const char *text)
{
	void *field = (char *)t + k->offset;

	switch (k->type) {
	case KEY_BYTES: return read_bytes(k, text, field);
	case KEY_RATE:
	case KEY_BYTE_RATE: return read_rate(k, text, field);
	default: return read_unsigned(k, text, 10, field);
	}
}

/* ---- one value ---- */

static void *key_field(const struct key *k, struct config *c)
{
	return (char *)c + k->offset;
}

void key_show(const struct key *k, const void *base, FILE *to)
{
	const void *field = (const char *)base + k->offset;
	const uint64_t *wide = field;
	const unsigned *number = field;

	switch (k->type) {
	case KEY_TEXT:
	case KEY_POLICY: fputs(*(char *const *)field, to); break;
	case KEY_MODE: fprintf(to, "%o", *number); break;
	case KEY_GROUP:
		if (*number != ID_NONE)
			fprintf(to, "%u", *number);
		break;
	case KEY_BYTES: fprintf(to, "%" PRIu64, *wide); break;
	case KEY_COUNT:
	case KEY_SLOTS: fprintf(to, "%u", *number); break;
	case KEY_SHARE: *number == 0 ? fputs("auto", to) : fprintf(to, "%u", *number); break;
	case KEY_ROOM: *wide == 0 ? fputs("auto", to) : fprintf(to, "%" PRIu64, *wide); break;
	case KEY_RATE:
	case KEY_BYTE_RATE: *wide == CONFIG_RATE_OFF ? fputs("off", to) : fprintf(to, "%" PRIu64, *wide); break;
	case KEY_FLAG: fputs(*(const bool *)field ? "on" : "off", to); break;
	case KEY_LEVEL: fputs(level_names[*(const enum config_log_level *)field], to); break;
	case KEY_AUDIT: fputs(audit_names[*(const enum config_audit *)field], to); break;
	default: break; /* lists and maps are shown by entry */
	}
}

bool key_tenant_has(const struct key *k, const struct config_tenant *t)
{
	const void *field = (const char *)t + k->offset;

	return k->type == KEY_COUNT ? *(const unsigned *)field != 0 : *(const uint64_t *)field != 0;
}

int key_set(const struct key *k, struct config *c, const char *text)
{
	void *field = key_field(k, c);

	switch (k->type) {
	case KEY_TEXT:
	case KEY_POLICY: return read_text(k, text, field);
	case KEY_MODE: return read_unsigned(k, text, 8, field);
	case KEY_GROUP: return read_optional_group(text, field);
	case KEY_UIDS: return read_into_ids(text, read_user, field);
	case KEY_GIDS: return read_into_ids(text, read_group, field);
	case KEY_BYTES: return read_bytes(k, text, field);
	case KEY_COUNT: return read_unsigned(k, text, 10, field);
	case KEY_SLOTS: return read_slots(k, text, field);
	case KEY_SHARE: return read_share(k, text, field);
	case KEY_ROOM: return read_room(k, text, field);
	case KEY_RATE:
	case KEY_BYTE_RATE: return read_rate(k, text, field);
	case KEY_FLAG: return read_flag(text, field);
	case KEY_LEVEL: return read_level(text, field);
	case KEY_AUDIT: return read_audit(text, field);
	default: return -EINVAL;
	}
}

_Static_assert(sizeof(mode_t) == sizeof(unsigned), "KEY_MODE stores an unsigned");

void key_clear_list(const struct key *k, struct config *c)
{
	struct config_ids *ids = key_field(k, c);

	free(ids->list);
	*ids = (struct config_ids){ 0 };
}

const char *key_allowed(const struct key *k, char buf[KEY_ALLOWED_MAX])
{
	switch (k->type) {
	case KEY_TEXT:
		(void)snprintf(buf, KEY_ALLOWED_MAX, "%" PRIu64 " to %" PRIu64 " bytes of path", k->min, k->max);
		return buf;
	case KEY_MODE: return "octal permissions, 0 to 0777";
	case KEY_GROUP:
	case KEY_GIDS: return "a group that exists, or a number below 4294967295";
	case KEY_UIDS: return "a user who exists, or a number below 4294967295";
	case KEY_BYTES:
		(void)snprintf(buf, KEY_ALLOWED_MAX, "%" PRIu64 " to %" PRIu64 " bytes, also as KiB, MiB, GiB or TiB",
		    k->min, k->max);
		return buf;
	case KEY_COUNT: (void)snprintf(buf, KEY_ALLOWED_MAX, "%" PRIu64 " to %" PRIu64, k->min, k->max); return buf;
	case KEY_SHARE:
	case KEY_SLOTS:
		(void)snprintf(buf, KEY_ALLOWED_MAX, "auto, or %" PRIu64 " to %" PRIu64, k->min, k->max);
		return buf;
	case KEY_ROOM:
		(void)snprintf(buf, KEY_ALLOWED_MAX,
		    "auto, or %" PRIu64 " to %" PRIu64 " bytes, also as KiB, MiB, GiB or TiB", k->min, k->max);
		return buf;
	case KEY_RATE:
	case KEY_BYTE_RATE:
		(void)snprintf(buf, KEY_ALLOWED_MAX, "off, or %" PRIu64 " to %" PRIu64 "%s", k->min, k->max,
		    k->type == KEY_RATE ? "" : " bytes, also as KiB, MiB, GiB or TiB");
		return buf;
	case KEY_TENANTS: return "a map from tenants to their limits, such as { workers: N, queue_max: N }";
	case KEY_FLAG: return "on or off";
	case KEY_LEVEL: return "error, warning, info or debug";
	case KEY_AUDIT: return "off, on or required";
	case KEY_POLICY: return "a built-in name, one of policies, or a file with a / or ending in .yaml";
	default: return "a map from names (1 to 64 of A-Z a-z 0-9 . _ -) to files";
	}
}
