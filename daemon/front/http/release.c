/* See release.h. */
#include "release.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "dsse.h"
#include "keeper_wire.h"
#include "statement.h"

#define NOT_SIGNED "the verdict could not be signed, so it is not given"

bool release_can_sign(const struct settings *s)
{
	return s->config.signing_key[0] != '\0';
}

void release_drop(struct release *r)
{
	audit_forget(r->recording);
	if (r->signing)
		keeper_forget(r->signing);
	json_decref(r->verdict.json);
	free(r->statement);
	*r = (struct release){ 0 };
}

/* @text: taken; NULL: for want of memory. */
static void reply_text(struct conn *c, const struct reply *r, char *text)
{
	if (text != NULL)
		conn_reply(c, r, text, strlen(text));
	else
		conn_problem(c, PROBLEM_INTERNAL, "out of memory");
	free(text);
}

static void reply_plain(struct conn *c, const struct reply *r, const json_t *verdict)
{
	reply_text(c, r, verdict_dump(&(struct verdict){ .json = json_deep_copy(verdict) }));
}

/* ---- signing ---- */

static void reply_signed(struct conn *c, enum keeper_status status, struct bytes answer)
{
	struct reply reply = c->release.reply;
	char *envelope;

	if (status != KEEPER_OK || answer.n != KEEPER_SIGN_ANSWER) {
		conn_problem(c, PROBLEM_BUSY, NOT_SIGNED);
		return;
	}
	reply.content_type = DSSE_MEDIA_TYPE;
	envelope = dsse_envelope(
	    STATEMENT_PAYLOAD_TYPE, bytes_of_text(c->release.statement), answer.at, answer.at + DSSE_KEYID_BYTES);
	reply_text(c, &reply, envelope);
}

static void on_signed(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct conn *c = ctx;

	c->release.signing = NULL;
	reply_signed(c, status, answer);
	client_settle(&c->io);
}

static void sign(struct conn *c)
{
	const struct bytes statement = bytes_of_text(c->release.statement);

	c->release.signing = keeper_ask(conn_http(c)->keeper, KEEPER_SIGN, statement, on_signed, c);
	if (!c->release.signing)
		conn_problem(c, PROBLEM_BUSY, NOT_SIGNED);
}

void release_signed(struct conn *c, const struct reply *r, const json_t *verdict)
{
	char *statement;
	int result = statement_make(verdict, &statement);

	if (result == -ENOENT) { /* an error before the bytes were read */
		reply_plain(c, r, verdict);
	} else if (result < 0) {
		conn_problem(c, PROBLEM_INTERNAL, "out of memory");
	} else {
		c->release.statement = statement;
		c->release.reply = *r;
		sign(c);
	}
}

/* ---- from the store ---- */

static void reply_kept(struct conn *c)
{
	const struct reply reply = c->release.reply;
	struct verdict v = c->release.verdict;

	c->release.verdict = (struct verdict){ 0 };
	if (c->req.attest)
		release_signed(c, &reply, v.json);
	else
		reply_text(c, &reply, verdict_dump(&v));
	json_decref(v.json);
}

static void on_recorded(void *ctx, bool recorded)
{
	struct conn *c = ctx;

	c->release.recording = NULL;
	if (recorded)
		reply_kept(c);
	else
		conn_problem(c, PROBLEM_NOT_RECORDED, AUDIT_NOT_RECORDED);
	client_settle(&c->io);
}

void release_kept(struct conn *c, const struct reply *r, struct verdict *v)
{
	const struct payer user = client_user(&c->io);
	const struct audit_event e = { .kind = "lookup",
		.verdict = v->json,
		.tenant = user.tenant,
		.uid = c->io.peer.uid,
		.pid = c->io.peer.pid };
	enum audit_step step;

	c->release.verdict = *v;
	c->release.reply = *r;
	if (audit_is_behind(&conn_parts(c)->audit)) {
		conn_problem(c, PROBLEM_BUSY, AUDIT_BEHIND);
		return;
	}
	step = audit_verdict(&conn_parts(c)->audit, &e, on_recorded, c, &c->release.recording);
	if (step == AUDIT_RELEASE)
		reply_kept(c);
	else if (step == AUDIT_REFUSE)
		conn_problem(c, PROBLEM_NOT_RECORDED, AUDIT_NOT_RECORDED);
}
