/* The handle: what is asked, and what became of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scan_impl.h"

struct weighlock_scan *weighlock_scan_new(const char *socket_path)
{
	const char *path = socket_path != NULL ? socket_path : WEIGHLOCK_SOCKET;
	struct weighlock_scan *s;

	if (strlen(path) >= sizeof(s->address.sun_path))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->address.sun_family = AF_UNIX;
	memcpy(s->address.sun_path, path, strlen(path) + 1);
	s->fd = s->pass_fd = s->upload_fd = -1;
	s->length = WEIGHLOCK_LENGTH_UNKNOWN;
	s->result.detail = "";
	s->dial = scan_dial;
	s->now_ms = scan_now_ms;
	return s;
}

void weighlock_scan_free(struct weighlock_scan *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		(void)close(s->fd);
	wlc_reply_done(&s->reply);
	scan_set_free(s);
	free(s->out);
	free(s->last);
	free(s);
}

/* ---- the file ---- */

static bool may_set_file(const struct weighlock_scan *s)
{
	return s->phase == PHASE_NEW && s->pass_fd < 0 && s->upload_fd < 0 && s->source == NULL && !scan_is_set(s);
}

int weighlock_scan_pass_fd(struct weighlock_scan *s, int fd)
{
	if (!may_set_file(s) || fd < 0)
		return -EINVAL;
	s->pass_fd = fd;
	return 0;
}

int weighlock_scan_upload_fd(struct weighlock_scan *s, int fd, uint64_t length)
{
	if (!may_set_file(s) || fd < 0)
		return -EINVAL;
	s->upload_fd = fd;
	s->length = length;
	return 0;
}

int weighlock_scan_upload(struct weighlock_scan *s, weighlock_source_fn source, void *ctx, uint64_t length)
{
	if (!may_set_file(s) || source == NULL)
		return -EINVAL;
	s->source = source;
	s->source_ctx = ctx;
	s->length = length;
	return 0;
}

/* ---- the question ---- */

/* @others: characters besides letters and digits.  What goes into a head must not be able to end it. */
static bool is_word(const char *text, size_t max, const char *others)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			strchr(others, c) != NULL))
			return false;
	}
	return n > 0 && n <= max;
}

static int set(const struct weighlock_scan *s, bool fits, char *to, const char *text)
{
	if (s->phase != PHASE_NEW || !fits)
		return -EINVAL;
	memcpy(to, text, strlen(text) + 1);
	return 0;
}

/* Whether it is UTF-8 the daemon says; here it is written by numbers. */
int weighlock_scan_set_name(struct weighlock_scan *s, const char *name)
{
	return set(s, name[0] != '\0' && strlen(name) <= SCAN_NAME_MAX, s->name, name);
}

int weighlock_scan_set_policy(struct weighlock_scan *s, const char *policy)
{
	return set(s, is_word(policy, SCAN_WORD_MAX, "._-"), s->policy, policy);
}

int weighlock_scan_set_tenant(struct weighlock_scan *s, const char *tenant)
{
	return set(s, is_word(tenant, SCAN_WORD_MAX, "._-"), s->tenant, tenant);
}

int weighlock_scan_set_request_id(struct weighlock_scan *s, const char *id)
{
	return set(s, is_word(id, WLC_REQUEST_ID_MAX, "!#$%&'*+-.^_`|~"), s->request_id, id);
}

int weighlock_scan_set_sha256(struct weighlock_scan *s, const char *hex)
{
	int r = set(s, strlen(hex) == 64 && strspn(hex, "0123456789abcdefABCDEF") == 64, s->sha256, hex);

	for (char *c = s->sha256; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'F')
			*c = (char)(*c | 0x20);
	}
	return r;
}

int weighlock_scan_set_batch(struct weighlock_scan *s)
{
	if (s->phase != PHASE_NEW)
		return -EINVAL;
	s->batch = true;
	return 0;
}

int weighlock_scan_set_progress(struct weighlock_scan *s, weighlock_line_fn line, void *ctx)
{
	if (s->phase != PHASE_NEW || line == NULL)
		return -EINVAL;
	s->line = line;
	s->line_ctx = ctx;
	return 0;
}

int weighlock_scan_set_timeouts(struct weighlock_scan *s, int64_t silence_ms, int64_t total_ms)
{
	if (s->phase != PHASE_NEW || silence_ms < 0 || total_ms < 0 || total_ms > INT64_MAX / 4 ||
	    silence_ms > INT64_MAX / 4)
		return -EINVAL;
	s->silence_ms = silence_ms;
	s->total_ms = total_ms;
	return 0;
}

int weighlock_scan_set_patience(struct weighlock_scan *s, int64_t ms)
{
	if (s->phase != PHASE_NEW || ms < 0 || ms > INT64_MAX / 4)
		return -EINVAL;
	s->patience_ms = ms;
	return 0;
}

/* ---- the answer ---- */

const char *weighlock_verdict_name(enum weighlock_verdict v)
{
	static const char *const names[] = { "none", "accept", "review", "reject", "error", "other" };

	return (size_t)v < sizeof(names) / sizeof(names[0]) ? names[v] : "other";
}

enum weighlock_verdict weighlock_scan_verdict(const struct weighlock_scan *s)
{
	return s->result.outcome == WEIGHLOCK_VERDICT ? s->result.verdict : WEIGHLOCK_NONE;
}

bool weighlock_scan_accepted(const struct weighlock_scan *s)
{
	return weighlock_scan_verdict(s) == WEIGHLOCK_ACCEPT;
}

enum weighlock_retry weighlock_scan_retry(const struct weighlock_scan *s, unsigned *ret_after_s)
{
	if (ret_after_s != NULL)
		*ret_after_s = s->result.retry_after_s;
	return s->result.retry;
}

/* Only what was judged: half an answer is none. */
const char *weighlock_scan_json(const struct weighlock_scan *s, size_t *ret_n)
{
	bool has = s->result.outcome == WEIGHLOCK_VERDICT || s->result.outcome == WEIGHLOCK_PROBLEM;
	const char *text = !has ? NULL : s->reply.is_stream ? s->last : s->reply.body;

	if (ret_n != NULL)
		*ret_n = text == NULL ? 0 : s->reply.is_stream ? s->last_n : s->reply.body_n;
	return text != NULL ? text : "";
}

unsigned weighlock_scan_status(const struct weighlock_scan *s)
{
	return s->reply.status;
}

const char *weighlock_scan_problem(const struct weighlock_scan *s)
{
	return s->result.problem;
}

const char *weighlock_scan_request_id(const struct weighlock_scan *s)
{
	return s->reply.request_id[0] != '\0' ? s->reply.request_id : s->request_id;
}

int weighlock_scan_errno(const struct weighlock_scan *s)
{
	return s->result.error;
}

const char *weighlock_scan_detail(const struct weighlock_scan *s)
{
	return s->result.detail;
}
