/* Settings on their way from the monitor to those that it starts: what comes out is what went in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_impl.h"
#include "harness.h"
#include "memory_file.h"
#include "settings.h"

static char folder[] = "/tmp/test-settings-XXXXXX";

static const char *file_with(const char *name, const char *text)
{
	static char path[2][64];
	static unsigned next;
	char *at = path[next++ % 2];
	FILE *f;

	if (next == 1)
		ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
	f = fopen(at, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return at;
}

static void clean(void)
{
	static const char *const names[] = { "weighlockd.yaml", "own.yaml" };

	for (size_t i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* ---- configurations ---- */

static size_t pack(const struct config *c, char **ret)
{
	size_t n = 0;
	FILE *to = open_memstream(ret, &n);

	config_pack(c, to);
	fclose(to);
	return n;
}

static int through(const struct config *c, struct config *ret)
{
	char *text = NULL;
	size_t n = pack(c, &text);
	struct packed p = { text, n };
	int r = config_unpack(&p, ret);

	ck_assert(r < 0 || p.n == 0);
	free(text);
	return r;
}

static char *shown(const struct key *k, const struct config *c)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	key_show(k, c, to);
	fclose(to);
	return text;
}

/* Not the default. */
static const char *another(enum key_type type)
{
	switch (type) {
	case KEY_MODE: return "0123";
	case KEY_GROUP: return "4242";
	case KEY_BYTES:
	case KEY_ROOM: return "100 MiB";
	case KEY_BYTE_RATE: return "77 KiB";
	case KEY_COUNT:
	case KEY_SLOTS:
	case KEY_SHARE:
	case KEY_RATE: return "7";
	case KEY_FLAG: return "on";
	case KEY_LEVEL: return "debug";
	case KEY_AUDIT: return "required";
	default: return "strict";
	}
}

START_TEST(test_every_key_arrives_as_its_default_and_as_another_value)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct key *k = &config_keys[i];
		struct config from, to;
		char error[CONFIG_ERROR_MAX], *a, *b, *fallback;

		if (key_is_list(k) || k->type == KEY_POLICIES || k->type == KEY_TENANTS)
			continue;
		ck_assert_int_eq(config_parse(NULL, 0, "x", &from, error), 0);
		fallback = shown(k, &from);
		if (k->max != CONFIG_REPORT_MAX)
			ck_assert_msg(key_set(k, &from, another(k->type)) == 0, "%s", k->name);
		else
			ck_assert_int_eq(key_set(k, &from, "300"), 0);
		ck_assert_int_eq(through(&from, &to), 0);
		a = shown(k, &from);
		b = shown(k, &to);
		ck_assert_msg(strcmp(a, fallback) != 0, "%s: '%s' is its default", k->name, a);
		ck_assert_msg(strcmp(a, b) == 0, "%s: '%s' became '%s'", k->name, a, b);
		free(a);
		free(b);
		free(fallback);
		config_done(&from);
		config_done(&to);
	}
}
END_TEST

static const char full[] =
    "allow_uids: [1, 2, 3]\nallow_gids: [4]\ntenant_uids: [5, 6]\n"
    "policies: { a: /x/a.yaml, b: /x/b.yaml }\n"
    "tenants: { \"uid:7\": { workers: 2, spool_bytes: 32 MiB }, hub: { files_per_minute: off } }\n";

START_TEST(test_lists_and_maps_arrive_in_their_order)
{
	struct config from, to;
	char error[CONFIG_ERROR_MAX];

	ck_assert_int_eq(config_parse((const uint8_t *)full, sizeof(full) - 1, "x", &from, error), 0);
	ck_assert_int_eq(through(&from, &to), 0);
	ck_assert_uint_eq(to.allow_uids.n, 3);
	ck_assert_uint_eq(to.allow_uids.list[2], 3);
	ck_assert_uint_eq(to.allow_gids.n, 1);
	ck_assert_uint_eq(to.tenant_uids.list[1], 6);
	ck_assert_uint_eq(to.n_policies, 2);
	ck_assert_str_eq(to.policies[1].name, "b");
	ck_assert_str_eq(to.policies[1].file, "/x/b.yaml");
	ck_assert_uint_eq(to.n_tenants, 2);
	ck_assert_str_eq(to.tenants[0].name, "uid:7");
	ck_assert_uint_eq(to.tenants[0].workers, 2);
	ck_assert_uint_eq(to.tenants[0].queue_max, 0);
	ck_assert_uint_eq(to.tenants[0].spool_bytes, 32 << 20);
	ck_assert_uint_eq(to.tenants[1].files_per_minute, CONFIG_RATE_OFF);
	config_done(&from);
	config_done(&to);
}
END_TEST

START_TEST(test_what_ends_too_early_is_refused)
{
	struct config from, to;
	char error[CONFIG_ERROR_MAX], *text = NULL;
	size_t n;

	ck_assert_int_eq(config_parse((const uint8_t *)full, sizeof(full) - 1, "x", &from, error), 0);
	n = pack(&from, &text);
	for (size_t i = 0; i < n; i++) {
		struct packed p = { text, i };

		ck_assert_msg(config_unpack(&p, &to) == -EINVAL, "%zu of %zu bytes", i, n);
		ck_assert_ptr_null(to.socket);
	}
	free(text);
	config_done(&from);
}
END_TEST

/* ---- settings ---- */

static struct settings *load(void)
{
	static char config[96], option[] = "--config", name[] = "weighlockd";
	char error[POLICY_ERROR_MAX], text[256];
	const char *own = file_with("own.yaml", "version: 1\nbase: strict\nformats: { deny: [gguf] }\n");
	const char *next = file_with("next.yaml", "version: 1\nbase: strict\npin_rules: 6\n");
	char *argv[] = { name, option, config, NULL };
	enum config_what what;
	struct settings *s;

	snprintf(text, sizeof(text), "policies: { mine: %s }\ndefault_policy: %s\nshadow_policy: %s\n", own, own, next);
	snprintf(config, sizeof(config), "%s", file_with("weighlockd.yaml", text));
	ck_assert_msg(settings_load(3, argv, &s, &what, error) == 0, "%s", error);
	return s;
}

START_TEST(test_policies_arrive_without_their_files)
{
	struct settings *from = load(), *to = NULL;
	int fd = settings_pack(from);

	clean();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(settings_unpack(fd, &to), 0);
	ck_assert_uint_eq(to->n_policies, from->n_policies);
	for (size_t i = 0; i < to->n_policies; i++) {
		ck_assert_str_eq(policy_name(to->policies[i]), policy_name(from->policies[i]));
		ck_assert_str_eq(policy_sha256(to->policies[i]), policy_sha256(from->policies[i]));
	}
	ck_assert_str_eq(policy_name(to->default_policy), policy_name(from->default_policy));
	ck_assert_ptr_eq(to->default_policy, to->policies[to->n_policies - 2]);
	ck_assert_ptr_eq(to->shadow_policy, to->policies[to->n_policies - 1]);
	ck_assert_str_eq(policy_name(to->shadow_policy), "next");
	ck_assert_uint_eq(to->own_uid, from->own_uid);
	ck_assert_int_lt(pwrite(fd, "x", 1, 0), 0); /* sealed */
	settings_free(from);
	settings_free(to);
	close(fd);
}
END_TEST

/* One digit of a digest. */
START_TEST(test_a_policy_that_is_not_what_it_was_is_refused)
{
	struct settings *from = load(), *to = NULL;
	const char *sha256 = policy_sha256(from->policies[0]);
	int fd = settings_pack(from), other = memory_file_new("other");
	struct stat st;
	char *text, *at;

	clean();
	ck_assert_int_eq(fstat(fd, &st), 0);
	text = malloc((size_t)st.st_size);
	ck_assert_int_eq(memory_file_read(fd, text, (size_t)st.st_size, 0), 0);
	at = memmem(text, (size_t)st.st_size, sha256, strlen(sha256));
	ck_assert_ptr_nonnull(at);
	at[0] = at[0] == '0' ? '1' : '0';
	ck_assert_int_eq(memory_file_write(other, text, (size_t)st.st_size, 0), 0);
	ck_assert_int_eq(settings_unpack(other, &to), -EINVAL);
	free(text);
	settings_free(from);
	close(fd);
	close(other);
}
END_TEST

HARNESS("settings", test_every_key_arrives_as_its_default_and_as_another_value,
    test_lists_and_maps_arrive_in_their_order, test_what_ends_too_early_is_refused,
    test_policies_arrive_without_their_files, test_a_policy_that_is_not_what_it_was_is_refused)
