/* weighlock policy check|show, and finding the policy an option names. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "commands.h"
#include "nearest.h"

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

static bool is_builtin(const char *name)
{
	for (size_t i = 0; policy_builtin_names[i] != NULL; i++) {
		if (strcmp(name, policy_builtin_names[i]) == 0)
			return true;
	}
	return false;
}

static void say_names(const char *wanted)
{
	char names[256] = "", question[NEAREST_QUESTION_MAX];

	for (size_t i = 0; policy_builtin_names[i] != NULL; i++) {
		size_t n = strlen(names);

		(void)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", policy_builtin_names[i]);
	}
	say("there is no policy '%s': neither built in (%s) nor a file%s", wanted, names,
	    nearest_of(wanted, policy_builtin_names, question));
}

/* Says what is wrong, unless there is no such file.  Return: 0 or negative errno. */
static int policy_from_file(const char *path, struct policy **ret)
{
	char error[POLICY_ERROR_MAX] = "";
	int r = policy_load(path, ret, error);

	if (r < 0 && r != -ENOENT)
		say("%s", error[0] != '\0' ? error : strerror(-r));
	return r;
}

int policy_find(const char *name_or_file, struct policy **ret)
{
	int r = policy_by_name(name_or_file, ret);

	if (r == -ENOENT) {
		r = policy_from_file(name_or_file, ret);
		if (r == -ENOENT)
			say_names(name_or_file);
	} else if (r < 0) {
		say("policy %s: %s", name_or_file, strerror(-r));
	}
	return r < 0 ? CLI_USAGE : 0;
}

int policy_add_packs(struct policy *p, const char *command, const char *const *names, size_t n)
{
	char question[NEAREST_QUESTION_MAX];

	for (size_t i = 0; i < n; i++) {
		int r = policy_add_pack(p, names[i]);

		if (r == -ENOENT)
			return usage_error(command, "--pack: there is no pack '%s'%s", names[i],
			    nearest_of(names[i], policy_pack_names, question));
		if (r < 0)
			return usage_error(command, "--pack %s: %s", names[i], strerror(-r));
	}
	return CLI_OK;
}

/* A sound policy can still be a mistake: a rule that has expired, or matches nothing.  Return: exit status. */
static int warnings_print(const struct policy *p, const char *path)
{
	_cleanup_(freep) char *warnings = policy_warnings(p, (int64_t)time(NULL));
	char *at = warnings, *line;

	if (warnings == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	while ((line = strsep(&at, "\n")) != NULL) {
		if (line[0] != '\0')
			say("%s: warning: %s", path, line);
	}
	return CLI_OK;
}

static int policy_check(const char *path)
{
	struct policy *p = NULL;
	int r = policy_from_file(path, &p);
	_cleanup_(freep) char *safe = text_safe(path);
	int status;

	if (r == -ENOENT)
		say("%s: no such file%s", path, is_builtin(path) ? "; the built-in policies need no check" : "");
	if (r < 0)
		return CLI_USAGE;
	printf("%s: ok, policy %s, sha256 %s\n", safe != NULL ? safe : "?", policy_name(p), policy_sha256(p));
	status = warnings_print(p, path);
	policy_free(p);
	return output_finish(status);
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
	return output_text(text, CLI_OK);
}

int cmd_policy(int argc, char **argv)
{
	static const char *const actions[] = { "check", "show", "try", NULL };
	const char *action = argc > 1 ? argv[1] : "";
	char question[NEAREST_QUESTION_MAX];

	if (strcmp(action, "try") == 0)
		return policy_try(argc - 1, argv + 1);
	for (int i = 1; i < argc; i++) {
		int status = usage_plain_option("policy", argv[i]);

		if (status >= 0)
			return status;
	}
	if (strcmp(action, "check") == 0 && argc == 3)
		return policy_check(argv[2]);
	if (strcmp(action, "show") == 0 && argc <= 3)
		return policy_print(argc == 3 ? argv[2] : "default");
	if (word_index(action, actions, 3) == 3 && nearest_of(action, actions, question)[0] != '\0')
		return usage_error("policy", "unknown action '%s'%s", action, question);
	return usage_error("policy",
	    "expected: policy check FILE, policy show [NAME|FILE], or: policy try NAME|FILE --against VERDICTS");
}
