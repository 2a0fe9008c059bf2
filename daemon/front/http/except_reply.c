/* Exceptions by people, over the socket: who asks is whom the kernel says it is, and only reviewer_uids may. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conn.h"
#include "excepting.h"
#include "hex.h"
#include "log.h"

#define DAY_S 86400

static const struct config *config_of(const struct conn *c)
{
	return &conn_env(c)->settings->config;
}

/* @json: taken; NULL for want of memory. */
static void reply_json(struct conn *c, json_t *json)
{
	const struct reply r = { .status = 200, .content_type = REPLY_JSON };
	char *text = json_text(json, JSON_COMPACT);

	json_decref(json);
	if (text != NULL)
		conn_reply(c, &r, text, strlen(text));
	else
		conn_problem(c, PROBLEM_INTERNAL, "out of memory");
	free(text);
}

/* ---- what there is ---- */

static void list(struct conn *c)
{
	json_t *all = exceptions_json(conn_http(c)->excepting->list, (int64_t)time(NULL) / DAY_S);

	reply_json(c, all != NULL ? json_pack("{s:o}", "exceptions", all) : NULL);
}

/* ---- a line more ---- */

/* Whoever is told so finds it in force. */
static void reply_seq(struct conn *c)
{
	if (exceptions_lines(conn_http(c)->excepting->list) > c->except_seq)
		reply_json(c, json_pack("{s:I}", "seq", (json_int_t)c->except_seq));
	else
		conn_problem(
		    c, PROBLEM_INTERNAL, "it is written, and not in force yet: the list could not be read again");
}

/* The list, asked for before this, has come, or will not. */
static void on_list(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct conn *c = ctx;

	(void)status;
	(void)answer;
	c->kept = NULL;
	reply_seq(c);
	client_settle(&c->io);
}

/* Refused: our list was an old one. */
static void on_kept(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct conn *c = ctx;

	(void)answer;
	c->kept =
	    status == KEEPER_OK ? keeper_ask(conn_http(c)->keeper, KEEPER_PING, (struct bytes){ 0 }, on_list, c) : NULL;
	if (c->kept)
		return;
	if (status == KEEPER_OK)
		reply_seq(c);
	else if (status == KEEPER_REFUSED)
		conn_problem(c, PROBLEM_BUSY, "the list has another line by now; ask again");
	else
		conn_problem(c, PROBLEM_NOT_RECORDED, "the exception could not be written, or nobody knows");
	client_settle(&c->io);
}

/* Codes with commas between them, which become ends. */
static size_t split_codes(char *codes, const char *ret[EXCEPTION_CODES_MAX])
{
	size_t n = 0;
	char *rest = codes, *code;

	while (n < EXCEPTION_CODES_MAX && (code = strsep(&rest, ",")) != NULL && code[0] != '\0')
		ret[n++] = code;
	return rest == NULL ? n : 0;
}

static const char *or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static int make_line(struct conn *c, char **ret, char *error)
{
	const struct exceptions *e = conn_http(c)->excepting->list;
	char name[32], sha256[SHA256_HEX + 1] = "";
	const struct exception_act act = { .uid = c->io.peer.uid, .name = name, .now = (int64_t)time(NULL) };
	struct exception x = { .sha256 = sha256,
		.tenant = or_null(c->req.tenant),
		.reason = or_null(c->req.reason),
		.owner = or_null(c->req.owner),
		.expires = or_null(c->req.expires) };
	char *end;

	(void)snprintf(name, sizeof(name), "uid:%u", c->io.peer.uid);
	c->except_seq = exceptions_lines(e);
	if (c->req.revoke[0] != '\0') {
		uint64_t seq = strtoull(c->req.revoke, &end, 10);

		return exceptions_revoke_line(e, *end == '\0' ? seq : UINT64_MAX, x.reason, &act, ret, error);
	}
	if (c->req.has_sha256)
		hex_write(c->req.sha256, sizeof(c->req.sha256), sha256);
	x.n_codes = split_codes(c->req.codes, x.codes);
	return exceptions_add_line(e, &x, &act, ret, error);
}

static void add(struct conn *c)
{
	char error[POLICY_ERROR_MAX] = "", *line = NULL;
	int r = make_line(c, &line, error);

	if (r == 0)
		c->kept = keeper_ask(conn_http(c)->keeper, KEEPER_EXCEPT, bytes_of_text(line), on_kept, c);
	free(line);
	if (c->kept) {
		excepting_fetch(
		    conn_http(c)->excepting); /* behind the line, whether or not somebody waits for the answer */
		log_line("exceptions: uid=%u pid=%d %s %s id=%s", c->io.peer.uid, c->io.peer.pid,
		    c->req.revoke[0] ? "revokes" : "adds", c->req.revoke[0] ? c->req.revoke : c->req.codes,
		    c->req.request_id);
		conn_wait(c, CONN_ADMIT);
	} else if (r == -EINVAL) {
		conn_problem(c, PROBLEM_BAD_REQUEST, error);
	} else {
		conn_problem(c, PROBLEM_BUSY, "the keeper cannot be asked at the moment");
	}
}

void except_reply(struct conn *c)
{
	if (!config_of(c)->exceptions)
		conn_problem(c, PROBLEM_NOT_FOUND, "this daemon keeps no exceptions");
	else if (!config_ids_have(&config_of(c)->reviewer_uids, c->io.peer.uid))
		conn_problem(c, PROBLEM_FORBIDDEN, "your uid is none of reviewer_uids");
	else if (c->req.method != HTTP_POST)
		list(c);
	else
		add(c);
}
