/* See keeper_audit.h. */
#include "keeper_audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit_file.h"
#include "audit_texts.h"
#include "log.h"

struct audited {
	struct audit_file *file;
	struct audit_texts *texts; /* NULL: none are kept */
};

static void close_audit(void *state)
{
	struct audited *a = state;

	audit_file_close(a->file);
	audit_texts_close(a->texts);
	free(a);
}

static bool wanted(const struct settings *s)
{
	return s->config.audit != CONFIG_AUDIT_OFF;
}

static int open_files(const struct settings *s, struct audited *a)
{
	char note[AUDIT_ERROR_MAX];
	int r = audit_file_open(AT_FDCWD, s->config.audit_bytes, &a->file, note);

	if (note[0])
		log_line("audit: %s", note);
	if (r < 0)
		log_errno(-r, "audit: " AUDIT_FILE " cannot be written");
	if (r < 0 || s->config.audit_texts_days == 0)
		return r;
	r = audit_texts_open(
	    AT_FDCWD, s->config.audit_texts_days, audit_file_own(a->file), (int64_t)time(NULL), &a->texts);
	if (r < 0)
		log_errno(-r, "audit: texts beside the log cannot be kept");
	return r;
}

static int open_audit(const struct settings *s, void **ret_state)
{
	struct audited *a = calloc(1, sizeof(*a));
	int r = a ? open_files(s, a) : -ENOMEM;

	if (r == 0)
		*ret_state = a;
	else if (a != NULL)
		close_audit(a);
	return r;
}

/* A disk that is full says so for every verdict: once is enough until it has room again. */
static void log_change(int r)
{
	static bool failing;

	if (r < 0 && !failing)
		log_errno(-r, "audit: verdicts cannot be recorded");
	else if (r == 0 && failing)
		log_line("audit: verdicts are recorded again");
	failing = r < 0;
}

/* A record, and perhaps a newline and the text whose hash it has. */
struct said {
	struct bytes record, text;
};

static struct said split(struct bytes request)
{
	const uint8_t *end = request.n > 0 ? memchr(request.at, '\n', request.n) : NULL;
	size_t n = end != NULL ? (size_t)(end - request.at) : request.n;

	return (struct said){ bytes_of(request.at, n),
		end != NULL ? bytes_of(end + 1, request.n - n - 1) : (struct bytes){ 0 } };
}

/* The line first: a text without its line would be one that somebody else's line gets.  Return: 0 or negative errno. */
static int append(struct audited *a, const struct said *said, struct audit_chain *ret)
{
	int r = audit_file_append(a->file, said->record, ret);

	if (r == 0 && a->texts && said->text.n > 0)
		r = audit_texts_append(a->texts, ret->next - 1, said->text);
	return r;
}

static void add_line(void *state, struct bytes request, struct keeper_answer *answer)
{
	const struct said what = split(request);
	uint8_t said[KEEPER_AUDIT_ANSWER];
	struct audit_chain chain;
	int r;

	if (!audit_record_is_sound(what.record) || (what.text.n > 0 && !audit_text_is_sound(what.text))) {
		answer->status = KEEPER_REFUSED;
		return;
	}
	r = append(state, &what, &chain);
	log_change(r);
	if (r < 0) {
		answer->status = KEEPER_FAILED;
		return;
	}
	store_u64le(said, chain.next - 1);
	memcpy(said + 8, chain.head, sizeof(chain.head));
	keeper_answer_add(answer, said, sizeof(said));
}

/* A disk that fails here fails settle(). */
static void tend(void *state, int64_t now)
{
	const struct audited *a = state;

	if (a->texts)
		(void)audit_texts_tend(a->texts, now);
}

static int settle(void *state)
{
	const struct audited *a = state;
	int r = audit_file_settle(a->file);

	if (r == -ESTALE)
		log_line(
		    "audit: ALARM: " AUDIT_FILE " or " AUDIT_HEAD " was cut, written to or deleted by somebody else");
	return r == 0 && a->texts ? audit_texts_settle(a->texts) : r;
}

static const struct keeper_handler handlers[] = { { KEEPER_AUDIT, add_line } };

const struct keeper_feature keeper_audit = {
	.name = "audit",
	.wanted = wanted,
	.open = open_audit,
	.handlers = handlers,
	.n_handlers = sizeof(handlers) / sizeof(handlers[0]),
	.tend = tend,
	.settle = settle,
	.close = close_audit,
};
