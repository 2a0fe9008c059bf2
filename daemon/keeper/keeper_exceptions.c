/* See keeper_exceptions.h.  Nothing of the list is held here: each request reads it anew, for the command may have written to it. */
#include "keeper_exceptions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exceptions.h"
#include "log.h"

#define EXCEPTIONS_FILE "exceptions.jsonl"

_Static_assert(EXCEPTIONS_FILE_MAX <= KEEPER_PAYLOAD_MAX, "a front gets the whole list in one answer");

static bool wanted(const struct settings *s)
{
	return s->config.exceptions;
}

/* @ret: malloc()ed.  @head: EXCEPTIONS_HEAD + 1 bytes.  Return: 0, and it is sound; negative errno, and the log says why. */
static int read_list(char **ret, size_t *ret_n, char *head)
{
	char error[POLICY_ERROR_MAX];
	struct exceptions *e = NULL;
	int r = exceptions_read(EXCEPTIONS_FILE, ret, ret_n, error);

	if (r == 0) {
		r = exceptions_parse(bytes_of(*ret, *ret_n), EXCEPTIONS_FILE, &e, error);
		if (r < 0)
			free(*ret);
		else
			memcpy(head, exceptions_head(e), EXCEPTIONS_HEAD + 1);
	}
	if (r < 0)
		log_line("exceptions: %s", error);
	exceptions_free(e);
	return r;
}

/* Where nobody can say what is excepted, nobody starts: a list that was changed is somebody's to look at. */
static int prove(const struct settings *s)
{
	char *text, head[EXCEPTIONS_HEAD + 1];
	size_t n;
	int r = read_list(&text, &n, head);

	(void)s;
	if (r == 0)
		free(text);
	return r;
}

static int open_list(const struct settings *s, void **ret_state)
{
	static char state;

	*ret_state = &state;
	return prove(s);
}

static void get(void *state, struct bytes request, struct keeper_answer *answer)
{
	char *text, head[EXCEPTIONS_HEAD + 1];
	size_t n;

	(void)state;
	if (read_list(&text, &n, head) < 0) {
		answer->status = KEEPER_FAILED;
		return;
	}
	if (bytes_equal(request, bytes_of_text(head)))
		answer->status = KEEPER_NOT_FOUND;
	else
		keeper_answer_add(answer, text, n);
	free(text);
}

/* The front made it, of the list as it knows it. */
static int take_line(void *ctx, const struct exceptions *e, char **ret, char *error)
{
	const struct bytes *line = ctx;

	(void)e;
	if (line->n == 0 || line->n > EXCEPTION_LINE_MAX || memchr(line->at, '\0', line->n) != NULL ||
	    memchr(line->at, '\n', line->n) != line->at + line->n - 1) {
		(void)snprintf(error, POLICY_ERROR_MAX, "not a line");
		return -EINVAL;
	}
	*ret = strndup((const char *)line->at, line->n);
	return *ret != NULL ? 0 : -ENOMEM;
}

static void add(void *state, struct bytes request, struct keeper_answer *answer)
{
	char error[POLICY_ERROR_MAX];
	int r = exceptions_append(EXCEPTIONS_FILE, take_line, &request, error);

	(void)state;
	if (r == 0)
		return;
	log_line("exceptions: not added: %s", error);
	answer->status = r == -EINVAL ? KEEPER_REFUSED : KEEPER_FAILED;
}

static void close_list(void *state)
{
	(void)state;
}

static const struct keeper_handler handlers[] = {
	{ KEEPER_EXCEPTIONS, get },
	{ KEEPER_EXCEPT, add },
};

const struct keeper_feature keeper_exceptions = {
	.name = "exceptions",
	.wanted = wanted,
	.prove = prove,
	.open = open_list,
	.handlers = handlers,
	.n_handlers = sizeof(handlers) / sizeof(handlers[0]),
	.close = close_list,
};
