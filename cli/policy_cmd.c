/* weighlock policy check|show, and finding the policy an option names. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

#define POLICY_NAME_MAX 64u /* bytes, as the daemon takes them */

static bool has_suffix(const char *text, const char *suffix)
{
	size_t n = strlen(text), n_suffix = strlen(suffix);

	return n >= n_suffix && strcmp(text + n - n_suffix, suffix) == 0;
}

bool policy_is_name(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)text[i]) && strchr("._-", text[i]) == NULL)
			return false;
	}
	return n > 0 && n <= POLICY_NAME_MAX && !has_suffix(text, ".yaml") && !has_suffix(text, ".yml");
}

static void say_names(const char *wanted)
{
	char names[256] = "";

	for (size_t i = 0; policy_builtin_names[i] != NULL; i++) {
		size_t n = strlen(names);

		(void)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", policy_builtin_names[i]);
	}
	say("there is no policy '%s': neither built in (%s) nor a file", wanted, names);
}

static int policy_from_file(const char *path, struct policy **ret)
{
	char error[POLICY_ERROR_MAX] = "";
	int r = policy_load(path, ret, error);

	if (r == 0)
		return 0;
	if (r == -ENOENT && policy_is_name(path))
		say_names(path);
	else
		say("%s", error[0] != '\0' ? error : strerror(-r));
	return CLI_USAGE;
}

int policy_find(const char *name_or_file, struct policy **ret)
{
	int r = policy_by_name(name_or_file, ret);

	if (r == -ENOENT)
		return policy_from_file(name_or_file, ret);
	if (r < 0)
		say("policy %s: %s", name_or_file, strerror(-r));
	return r < 0 ? CLI_USAGE : 0;
}

static int policy_check(const char *path)
{
	struct policy *p = NULL;
	int status = policy_from_file(path, &p);
	_cleanup_(freep) char *safe = text_safe(path);

	if (status != 0)
		return status;
	printf("%s: ok, policy %s, sha256 %s\n", safe != NULL ? safe : "?", policy_name(p), policy_sha256(p));
	policy_free(p);
	return output_finish(CLI_OK);
}

static int policy_print(const char *name_or_file)
{
	struct policy *p = NULL;
	int status = policy_find(name_or_file, &p);
	_cleanup_(freep) char *text = NULL;

	if (status != 0)
		return status;
	text = policy_show(p);
	policy_free(p);
	if (text == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	fputs(text, stdout);
	return output_finish(CLI_OK);
}

int cmd_policy(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : "";

	if (strcmp(action, "--help") == 0 || strcmp(action, "-h") == 0)
		return usage_print("policy");
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			return usage_error("policy", "unknown option '%s'", argv[i]);
	}
	if (strcmp(action, "check") == 0 && argc == 3)
		return policy_check(argv[2]);
	if (strcmp(action, "show") == 0 && argc <= 3)
		return policy_print(argc == 3 ? argv[2] : "default");
	return usage_error("policy", "expected: policy check FILE, or: policy show [NAME|FILE]");
}
