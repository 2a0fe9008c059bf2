/* Configuration: defaults, file, options; what is wrong is named with its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config_impl.h"
#include "harness.h"

static struct config config;
static char error[CONFIG_ERROR_MAX];
static enum config_what what;

static int parse(const char *text)
{
	config_done(&config);
	error[0] = '\0';
	return config_parse((const uint8_t *)text, strlen(text), "test.yaml", &config, error);
}

/* Arguments ended by NULL, copied as a process would have them: writable. */
static int from_args(const char *const *args)
{
	static char words[32][256];
	char *argv[33] = { NULL };
	int argc = 0;

	for (; args[argc] != NULL; argc++) {
		ck_assert_int_lt(argc, 32);
		ck_assert_uint_lt(strlen(args[argc]), sizeof(words[0]));
		argv[argc] = strcpy(words[argc], args[argc]);
	}
	config_done(&config);
	error[0] = '\0';
	return config_from_args(argc, argv, &config, &what, error);
}

#define ARGS(...) from_args((const char *const[]){ "weighlockd", __VA_ARGS__, NULL })

#define ASSERT_ERROR(r, ...)                                                                                          \
	do {                                                                                                          \
		const char *const parts[] = { __VA_ARGS__ };                                                          \
                                                                                                                      \
		ck_assert_int_eq(r, -EINVAL);                                                                         \
		ck_assert_ptr_null(strchr(error, '\n'));                                                              \
		for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)                                \
			ck_assert_msg(strstr(error, parts[part]) != NULL, "'%s' is not in '%s'", parts[part], error); \
		ck_assert_ptr_null(config.socket);                                                                    \
	} while (0)

static char file_path[64];

static const char *file_with(const char *text)
{
	int fd;

	strcpy(file_path, "/tmp/test-config-XXXXXX");
	fd = mkstemp(file_path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return file_path;
}

/* ---- defaults ---- */

static void assert_defaults(void)
{
	ck_assert_str_eq(config.socket, "/run/weighlock/weighlock.sock");
	ck_assert_str_eq(config.clamd_socket, "");
	ck_assert_uint_eq(config.socket_mode, 0660);
	ck_assert_uint_eq(config.socket_gid, UINT32_MAX);
	ck_assert_uint_eq(config.allow_uids.n + config.allow_gids.n + config.tenant_uids.n + config.n_policies, 0);
	ck_assert_str_eq(config.spool_dir, "/var/tmp");
	ck_assert_uint_eq(config.spool_bytes, UINT64_C(64) << 30);
	ck_assert_uint_eq(config.memfd_max, UINT64_C(64) << 20);
	ck_assert_uint_eq(config.memfd_bytes, UINT64_C(1) << 30);
	ck_assert_uint_eq(config.max_body, UINT64_C(1) << 40);
	ck_assert_uint_eq(config.max_connections, 512);
	ck_assert_uint_eq(config.max_connections_per_uid, 256);
	ck_assert_uint_eq(config.queue_max, 1024);
	ck_assert_uint_eq(config.queue_max_per_tenant, 512);
	ck_assert_uint_eq(config.spool_bytes_per_tenant, 0);
	ck_assert_uint_eq(config.files_per_minute_per_tenant, CONFIG_RATE_OFF);
	ck_assert_uint_eq(config.bytes_per_minute_per_tenant, CONFIG_RATE_OFF);
	ck_assert_uint_ge(config.workers, 3); /* so that the default leaves one to others */
	ck_assert_uint_eq(config.large_file, CONFIG_LARGE_FILE);
	ck_assert_uint_eq(config.head_seconds, 5);
	ck_assert_uint_eq(config.idle_seconds, 60);
	ck_assert_uint_eq(config.body_min_bytes_per_10s, 65536);
	ck_assert_uint_eq(config.reply_seconds, 30);
	ck_assert_uint_eq(config.drain_seconds, 30);
	ck_assert_uint_eq(config.progress_seconds, 5);
	ck_assert_str_eq(config.default_policy, "default");
	ck_assert_int_eq(config.log_level, CONFIG_LOG_INFO);
}

START_TEST(test_no_file_and_no_options_mean_the_defaults)
{
	ck_assert_int_eq(from_args((const char *const[]){ "weighlockd", NULL }), 0);
	ck_assert_int_eq(what, CONFIG_RUN);
	assert_defaults();
	ck_assert_ptr_nonnull(strstr(config.worker, "/weighlock-worker"));
}
END_TEST

START_TEST(test_empty_file_and_comments_mean_the_defaults)
{
	ck_assert_int_eq(parse(""), 0);
	assert_defaults();
	ck_assert_int_eq(parse("# nothing\n\n   # here\r\n"), 0);
	assert_defaults();
}
END_TEST

/* The sample with each "#key: value" line made real.  Return: how many there were. */
static size_t uncomment_sample(char *text, size_t n)
{
	FILE *f = fopen(WLK_SAMPLE, "r");
	char line[256];
	size_t keys = 0;

	ck_assert_ptr_nonnull(f);
	text[0] = '\0';
	while (fgets(line, sizeof(line), f) != NULL) {
		bool key = line[0] == '#' && line[1] >= 'a' && line[1] <= 'z';

		keys += key;
		ck_assert_uint_lt(strlen(text) + strlen(line), n);
		strcat(text, line + key);
	}
	fclose(f);
	return keys;
}

START_TEST(test_sample_shows_every_key_at_its_default)
{
	static char text[16384];

	ck_assert_uint_eq(uncomment_sample(text, sizeof(text)), config_n_keys);
	ck_assert_msg(parse(text) == 0, "%s", error);
	assert_defaults();
}
END_TEST

START_TEST(test_sample_as_shipped_is_good)
{
	ck_assert_int_eq(ARGS("--config", WLK_SAMPLE, "--check-config"), 0);
	ck_assert_int_eq(what, CONFIG_CHECK);
	assert_defaults();
}
END_TEST

/* ---- values ---- */

START_TEST(test_file_sets_every_kind_of_value)
{
	ck_assert_msg(parse("socket: /run/x.sock\nsocket_mode: 0600\nsocket_group: root\nallow_uids: [root, 1000]\n"
			    "allow_gids:\n  - 5\n  - 6\ntenant_uids: [7]\nmemfd_max: 2 MiB\nspool_bytes: 3GiB\n"
			    "max_body: 12345\nworkers: 3\nlog_level: debug\n"
			    "policies:\n  uploads: /etc/u.yaml\n  ci2: /etc/c.yaml\ndefault_policy: uploads\n") == 0,
	    "%s", error);
	ck_assert_str_eq(config.socket, "/run/x.sock");
	ck_assert_uint_eq(config.socket_mode, 0600);
	ck_assert_uint_eq(config.socket_gid, 0);
	ck_assert_uint_eq(config.allow_uids.n, 2);
	ck_assert(config_ids_have(&config.allow_uids, 0) && config_ids_have(&config.allow_uids, 1000));
	ck_assert(!config_ids_have(&config.allow_uids, 1001));
	ck_assert(config_ids_have(&config.allow_gids, 5) && config_ids_have(&config.allow_gids, 6));
	ck_assert(config_ids_have(&config.tenant_uids, 7));
	ck_assert_uint_eq(config.memfd_max, 2 << 20);
	ck_assert_uint_eq(config.spool_bytes, UINT64_C(3) << 30);
	ck_assert_uint_eq(config.max_body, 12345);
	ck_assert_uint_eq(config.workers, 3);
	ck_assert_int_eq(config.log_level, CONFIG_LOG_DEBUG);
	ck_assert_str_eq(config_policy_file(&config, "uploads"), "/etc/u.yaml");
	ck_assert_str_eq(config_policy_file(&config, "ci2"), "/etc/c.yaml");
	ck_assert_ptr_null(config_policy_file(&config, "strict"));
}
END_TEST

START_TEST(test_tenants_have_limits_of_their_own)
{
	ck_assert_int_eq(parse("workers_per_tenant: 5\n"
			       "tenants: { hub: { workers: 8, queue_max: 1000 }, \"uid:7\": { workers: 1 }, x: {} }"),
	    0);
	ck_assert_uint_eq(config.workers_per_tenant, 5);
	ck_assert_uint_eq(config.n_tenants, 3);
	ck_assert_str_eq(config.tenants[0].name, "hub");
	ck_assert_uint_eq(config.tenants[0].workers, 8);
	ck_assert_uint_eq(config.tenants[0].queue_max, 1000);
	ck_assert_str_eq(config.tenants[1].name, "uid:7");
	ck_assert_uint_eq(config.tenants[1].queue_max, 0);
	ck_assert_int_eq(parse("workers_per_tenant: auto"), 0);
	ck_assert_uint_eq(config.workers_per_tenant, 0);
	ASSERT_ERROR(parse("workers_per_tenant: 0"), "workers_per_tenant", "auto, or 1 to 1024");
	ASSERT_ERROR(parse("tenants: [a]"), "tenants");
	ASSERT_ERROR(parse("tenants: { a: 5 }"), "tenants");
	ASSERT_ERROR(parse("tenants: { a/b: {} }"), "tenants", "a/b");
	ASSERT_ERROR(parse("tenants: { \"uid:x\": {} }"), "tenants", "uid:x");
	ASSERT_ERROR(parse("tenants: { a: { workers: 0 } }"), "workers", "1 to 1024");
	ASSERT_ERROR(parse("tenants: { a: { workers: [1] } }"), "workers");
	ASSERT_ERROR(parse("tenants: { a: { slots: 1 } }"), "test.yaml:1:", "unknown key", "slots");
	ASSERT_ERROR(parse("tenants: { a: {}, a: {} }"), "test.yaml:1:", "a");
}
END_TEST

START_TEST(test_a_tenants_room_is_auto_or_what_a_chunked_body_needs)
{
	ck_assert_int_eq(parse("spool_bytes_per_tenant: auto"), 0);
	ck_assert_uint_eq(config.spool_bytes_per_tenant, 0);
	ck_assert_int_eq(parse("spool_bytes_per_tenant: 16 MiB\ntenants: { a: { spool_bytes: 17MiB } }"), 0);
	ck_assert_uint_eq(config.spool_bytes_per_tenant, 16 << 20);
	ck_assert_uint_eq(config.tenants[0].spool_bytes, 17 << 20);
	ASSERT_ERROR(parse("spool_bytes_per_tenant: 16777215"), "spool_bytes_per_tenant", "auto, or 16777216 to");
	ASSERT_ERROR(parse("spool_bytes_per_tenant: 0"), "spool_bytes_per_tenant");
	ASSERT_ERROR(parse("tenants: { a: { spool_bytes: 16777215 } }"), "spool_bytes", "16777216 to");
	ASSERT_ERROR(parse("tenants: { a: { spool_bytes: auto } }"), "spool_bytes", "auto");
}
END_TEST

START_TEST(test_rates_are_off_or_bounded_on_both_sides)
{
	ck_assert_int_eq(parse("files_per_minute_per_tenant: 1\nbytes_per_minute_per_tenant: 1 GiB\n"
			       "tenants: { a: { files_per_minute: off }, b: { bytes_per_minute: 1 TiB }, c: {} }"),
	    0);
	ck_assert_uint_eq(config.files_per_minute_per_tenant, 1);
	ck_assert_uint_eq(config.bytes_per_minute_per_tenant, 1 << 30);
	ck_assert_uint_eq(config.tenants[0].files_per_minute, CONFIG_RATE_OFF);
	ck_assert_uint_eq(config.tenants[0].bytes_per_minute, 0);
	ck_assert_uint_eq(config.tenants[1].bytes_per_minute, UINT64_C(1) << 40);
	ck_assert_uint_eq(config.tenants[2].files_per_minute, 0);
	ck_assert_int_eq(parse("files_per_minute_per_tenant: 1000000\nbytes_per_minute_per_tenant: 1024 TiB"), 0);
	ck_assert_int_eq(parse("files_per_minute_per_tenant: off\nbytes_per_minute_per_tenant: off"), 0);
	ck_assert_uint_eq(config.files_per_minute_per_tenant, CONFIG_RATE_OFF);
	ck_assert_uint_eq(config.bytes_per_minute_per_tenant, CONFIG_RATE_OFF);
	ASSERT_ERROR(parse("files_per_minute_per_tenant: 0"), "files_per_minute_per_tenant", "off, or 1 to 1000000");
	ASSERT_ERROR(parse("files_per_minute_per_tenant: 1000001"), "files_per_minute_per_tenant");
	ASSERT_ERROR(parse("files_per_minute_per_tenant: 1 KiB"), "files_per_minute_per_tenant");
	ASSERT_ERROR(parse("bytes_per_minute_per_tenant: 0"), "bytes_per_minute_per_tenant", "off, or 1 to", "KiB");
	ASSERT_ERROR(parse("bytes_per_minute_per_tenant: 1025 TiB"), "bytes_per_minute_per_tenant");
	ASSERT_ERROR(parse("tenants: { a: { files_per_minute: 0 } }"), "files_per_minute", "off, or 1 to 1000000");
	ASSERT_ERROR(parse("tenants: { a: { files_per_minute: Off } }"), "files_per_minute");
}
END_TEST

START_TEST(test_numbers_are_bounded_on_both_sides)
{
	ck_assert_int_eq(parse("workers: 1"), 0);
	ck_assert_int_eq(parse("workers: 1024"), 0);
	ASSERT_ERROR(parse("workers: 0"), "test.yaml:1:", "workers", "1 to 1024");
	ASSERT_ERROR(parse("workers: 1025"), "workers");
	ck_assert_int_eq(parse("max_body: 1 TiB"), 0);
	ASSERT_ERROR(parse("max_body: 1099511627777"), "max_body");
	ASSERT_ERROR(parse("max_body: 0"), "max_body");
	ck_assert_int_eq(parse("socket_mode: 0777"), 0);
	ASSERT_ERROR(parse("socket_mode: 01000"), "socket_mode", "octal");
	ck_assert_int_eq(parse("allow_uids: [4294967294]"), 0);
	ASSERT_ERROR(parse("allow_uids: [4294967295]"), "allow_uids");
	ASSERT_ERROR(parse("head_seconds: 18446744073709551621"), "head_seconds");
	ASSERT_ERROR(parse("spool_bytes: 99999999999 TiB"), "spool_bytes");
	ASSERT_ERROR(parse("spool_bytes: 18446744073709551616"), "spool_bytes");
	ck_assert_int_eq(parse("memfd_max: 0\nmax_body: 1\nbody_min_bytes_per_10s: 0 KiB"), 0);
	ASSERT_ERROR(parse("socket_mode: 0680"), "socket_mode");
}
END_TEST

static int parse_socket_of(size_t n)
{
	char text[256] = "socket: ";

	memset(text + 8, 's', n);
	text[8 + n] = '\0';
	return parse(text);
}

START_TEST(test_socket_path_of_107_bytes_fits_and_of_108_does_not)
{
	ck_assert_int_eq(parse_socket_of(107), 0);
	ASSERT_ERROR(parse_socket_of(108), "socket", "107");
	ASSERT_ERROR(parse("socket: \"\""), "socket");
}
END_TEST

START_TEST(test_values_of_the_wrong_shape_are_refused)
{
	static const char *const texts[] = { "workers: -1", "workers: +1", "workers: 1.5", "workers: many",
		"workers: 0x10", "workers: [1]", "workers: {a: 1}", "workers:", "allow_uids: 5", "allow_uids: [[5]]",
		"allow_uids: [no-such-user]", "policies: [a]", "policies: {a: [b]}", "policies: {a/b: c}",
		"policies: {a: \"\"}", "memfd_max: 1 MB", "memfd_max: 1MiBs", "memfd_max: MiB", "memfd_max: \"1  MiB\"",
		"memfd_max: \"1 \"", "log_level: loud", "socket_mode: 0898", "socket_mode: rw",
		"socket_group: no-such-group", "- a", "text" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ASSERT_ERROR(parse(texts[i]), "test.yaml:1:");
}
END_TEST

START_TEST(test_unknown_and_repeated_keys_are_refused_with_their_line)
{
	ASSERT_ERROR(parse("# x\nworkers: 2\nallow_uid: [5]\n"), "test.yaml:3:", "unknown key", "allow_uid");
	ASSERT_ERROR(parse("workers: 2\nsocket: /a\nworkers: 2\n"), "test.yaml:3:", "twice", "workers");
	ASSERT_ERROR(parse("policies:\n  a: /x\n  a: /y\n"), "test.yaml:3:", "twice");
	ASSERT_ERROR(parse("allow_uids:\n  - 1\n  - 2\n  - x x\n"), "test.yaml:4:", "allow_uids");
}
END_TEST

START_TEST(test_built_in_policy_names_cannot_be_taken)
{
	ASSERT_ERROR(parse("policies:\n  mine: /x\n  strict: /y\n"), "test.yaml:3:", "built in", "strict");
}
END_TEST

static int parse_policy(size_t name_n, size_t file_n)
{
	static char text[8192];
	size_t n = 0;

	n += (size_t)snprintf(text, sizeof(text), "policies: { ");
	memset(text + n, 'n', name_n);
	n += name_n;
	n += (size_t)snprintf(text + n, sizeof(text) - n, ": /");
	memset(text + n, 'f', file_n - 1);
	n += file_n - 1;
	strcpy(text + n, " }");
	return parse(text);
}

START_TEST(test_policy_name_of_64_bytes_and_path_of_1024_fit_and_one_more_does_not)
{
	ck_assert_msg(parse_policy(64, 1024) == 0, "%s", error);
	ck_assert_uint_eq(strlen(config.policies[0].name), 64);
	ck_assert_uint_eq(strlen(config.policies[0].file), 1024);
	ASSERT_ERROR(parse_policy(65, 9), "policies");
	ASSERT_ERROR(parse_policy(9, 1025), "1024");
	ASSERT_ERROR(parse("policies: { \"\": /x }"), "policies");
}
END_TEST

START_TEST(test_list_of_1024_entries_fits_and_of_1025_does_not)
{
	static char text[16384];

	strcpy(text, "allow_uids: [0");
	for (size_t i = 1; i < CONFIG_LIST_MAX; i++)
		strcat(text, ",7");
	strcat(text, "]");
	ck_assert_int_eq(parse(text), 0);
	ck_assert_uint_eq(config.allow_uids.n, CONFIG_LIST_MAX);
	strcpy(text + strlen(text) - 1, ",7]");
	ASSERT_ERROR(parse(text), "allow_uids");
}
END_TEST

/* ---- options ---- */

START_TEST(test_options_override_the_file)
{
	const char *path = file_with("socket: /from/file\nworkers: 3\nallow_uids: [5, 6]\nallow_gids: [7]\n");

	ck_assert_msg(
	    ARGS("--config", path, "--socket=/from/option", "--allow-uid", "8", "--allow-uid", "9") == 0, "%s", error);
	unlink(path);
	ck_assert_str_eq(config.config, path);
	ck_assert_str_eq(config.socket, "/from/option");
	ck_assert_uint_eq(config.workers, 3);
	ck_assert_uint_eq(config.allow_uids.n, 2);
	ck_assert(config_ids_have(&config.allow_uids, 8) && config_ids_have(&config.allow_uids, 9));
	ck_assert_uint_eq(config.allow_gids.n, 1);
}
END_TEST

START_TEST(test_every_option_is_read)
{
	ck_assert_msg(ARGS("--socket-mode", "0600", "--allow-gid", "4", "--tenant-uid", "5", "--spool-dir", "/s",
			  "--workers", "auto", "--policy", "strict", "--worker", "/w", "--log-level", "error",
			  "--max-body", "1 GiB", "--check-config") == 0,
	    "%s", error);
	ck_assert_int_eq(what, CONFIG_CHECK);
	ck_assert_uint_eq(config.socket_mode, 0600);
	ck_assert(config_ids_have(&config.allow_gids, 4) && config_ids_have(&config.tenant_uids, 5));
	ck_assert_str_eq(config.spool_dir, "/s");
	ck_assert_uint_ge(config.workers, 2);
	ck_assert_str_eq(config.default_policy, "strict");
	ck_assert_str_eq(config.worker, "/w");
	ck_assert_int_eq(config.log_level, CONFIG_LOG_ERROR);
	ck_assert_uint_eq(config.max_body, UINT64_C(1) << 30);
}
END_TEST

START_TEST(test_wrong_options_are_refused_by_name)
{
	ASSERT_ERROR(ARGS("--sockets", "/x"), "--sockets");
	ASSERT_ERROR(ARGS("--sock", "/x"), "--sock");
	ASSERT_ERROR(ARGS("--socket"), "--socket", "value");
	ASSERT_ERROR(ARGS("-x"), "-x");
	ASSERT_ERROR(ARGS("file"), "file");
	ASSERT_ERROR(ARGS("--check-config", "--", "file"), "file");
	ASSERT_ERROR(ARGS("--check-config=yes"), "--check-config");
	ASSERT_ERROR(ARGS("--workers", "0"), "--workers", "'0'", "1 to 1024");
	ASSERT_ERROR(ARGS("--allow-uid", "no-such-user"), "--allow-uid");
	ASSERT_ERROR(ARGS("--policies", "x"), "--policies");
}
END_TEST

START_TEST(test_default_policy_must_be_known_or_a_file)
{
	ck_assert_int_eq(ARGS("--policy", "reference"), 0);
	ck_assert_int_eq(ARGS("--policy", "./mine"), 0);
	ck_assert_int_eq(ARGS("--policy", "mine.yaml"), 0);
	ASSERT_ERROR(ARGS("--policy", "mine"), "default_policy", "mine");
	ck_assert_int_eq(ARGS("--config", file_with("shadow_policy: strict\n")), 0);
	ASSERT_ERROR(ARGS("--config", file_with("shadow_policy: mine\n")), "shadow_policy", "mine");
}
END_TEST

START_TEST(test_help_and_version_win_over_the_rest)
{
	ck_assert_int_eq(ARGS("--version", "--config", "/no/such/file"), 0);
	ck_assert_int_eq(what, CONFIG_VERSION);
	ck_assert_int_eq(ARGS("--version", "--check-config", "--help"), 0);
	ck_assert_int_eq(what, CONFIG_HELP);
	ASSERT_ERROR(ARGS("--help", "--nonsense"), "--nonsense");
}
END_TEST

START_TEST(test_same_arguments_may_be_read_again)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ARGS("--socket", "/a", "--allow-uid", "5"), 0);
		ck_assert_str_eq(config.socket, "/a");
		ck_assert_uint_eq(config.allow_uids.n, 1);
	}
}
END_TEST

START_TEST(test_file_that_cannot_be_read_is_named)
{
	ck_assert_int_eq(ARGS("--config", "/no/such/file"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error, "/no/such/file"));
	ck_assert_int_eq(ARGS("--config", "/"), -EISDIR);
	ASSERT_ERROR(ARGS("--config", "/dev/zero"), "/dev/zero", "1 MiB");
}
END_TEST

START_TEST(test_file_error_names_the_file)
{
	const char *path = file_with("\nworkers: none\n");
	char where[80];

	snprintf(where, sizeof(where), "%s:2:", path);
	ASSERT_ERROR(ARGS("--config", path), where, "none");
	unlink(path);
}
END_TEST

START_TEST(test_help_shows_every_option)
{
	char text[16384] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	config_help(f);
	fclose(f);
	for (size_t i = 0; i < config_n_keys; i++) {
		char option[64];

		if (config_keys[i].option == NULL)
			continue;
		snprintf(option, sizeof(option), "--%s VALUE", config_keys[i].option);
		ck_assert_ptr_nonnull(strstr(text, option));
	}
}
END_TEST

START_TEST(test_manual_page_shows_every_key_and_option)
{
	static char text[65536];
	FILE *f = fopen(WLK_MANUAL, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct key *k = &config_keys[i];
		char shown[64];

		snprintf(shown, sizeof(shown), k->option != NULL ? "*--%s*" : "_%s_",
		    k->option != NULL ? k->option : k->name);
		ck_assert_msg(strstr(text, shown) != NULL, "%s is not in the manual page", shown);
		if (k->fallback != NULL && k->fallback[0] != '\0')
			ck_assert_msg(strstr(text, k->fallback) != NULL, "the default of %s is not in it", shown);
	}
}
END_TEST

HARNESS("config", test_tenants_have_limits_of_their_own, test_a_tenants_room_is_auto_or_what_a_chunked_body_needs,
    test_rates_are_off_or_bounded_on_both_sides, test_no_file_and_no_options_mean_the_defaults,
    test_empty_file_and_comments_mean_the_defaults, test_sample_shows_every_key_at_its_default,
    test_sample_as_shipped_is_good, test_file_sets_every_kind_of_value, test_numbers_are_bounded_on_both_sides,
    test_socket_path_of_107_bytes_fits_and_of_108_does_not, test_values_of_the_wrong_shape_are_refused,
    test_unknown_and_repeated_keys_are_refused_with_their_line, test_built_in_policy_names_cannot_be_taken,
    test_policy_name_of_64_bytes_and_path_of_1024_fit_and_one_more_does_not,
    test_list_of_1024_entries_fits_and_of_1025_does_not, test_options_override_the_file, test_every_option_is_read,
    test_wrong_options_are_refused_by_name, test_default_policy_must_be_known_or_a_file,
    test_help_and_version_win_over_the_rest, test_same_arguments_may_be_read_again,
    test_file_that_cannot_be_read_is_named, test_file_error_names_the_file, test_help_shows_every_option,
    test_manual_page_shows_every_key_and_option)
