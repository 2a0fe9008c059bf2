/* See keeper_audit.h. */
#include "keeper_audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "audit_file.h"
#include "log.h"

static bool wanted(const struct settings *s)
{
	return s->config.audit != CONFIG_AUDIT_OFF;
}

static int open_audit(const struct settings *s, void **ret_state)
{
	char note[AUDIT_ERROR_MAX];
	struct audit_file *f;
	int r = audit_file_open(AT_FDCWD, s->config.audit_bytes, &f, note);

	if (note[0])
		log_line("audit: %s", note);
	if (r < 0) {
		log_errno(-r, "audit: " AUDIT_FILE " cannot be written");
		return r;
	}
	*ret_state = f;
	return 0;
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

static void add_line(void *state, struct bytes request, struct keeper_answer *answer)
{
	uint8_t said[KEEPER_AUDIT_ANSWER];
	struct audit_chain chain;
	int r;

	if (!audit_record_is_sound(request)) {
		answer->status = KEEPER_REFUSED;
		return;
	}
	r = audit_file_append(state, request, &chain);
	log_change(r);
	if (r < 0) {
		answer->status = KEEPER_FAILED;
		return;
	}
	store_u64le(said, chain.next - 1);
	memcpy(said + 8, chain.head, sizeof(chain.head));
	keeper_answer_add(answer, said, sizeof(said));
}

static int settle(void *state)
{
	int r = audit_file_settle(state);

	if (r == -ESTALE)
		log_line(
		    "audit: ALARM: " AUDIT_FILE " or " AUDIT_HEAD " was cut, written to or deleted by somebody else");
	return r;
}

static void close_audit(void *state)
{
	audit_file_close(state);
}

static const struct keeper_handler handlers[] = { { KEEPER_AUDIT, add_line } };

const struct keeper_feature keeper_audit = {
	.name = "audit",
	.wanted = wanted,
	.open = open_audit,
	.handlers = handlers,
	.n_handlers = sizeof(handlers) / sizeof(handlers[0]),
	.settle = settle,
	.close = close_audit,
};
