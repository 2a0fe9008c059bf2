/* Answers from the verdict store: see keep.h. */
#define KEEP_RETRY_AFTER_S 1 /* of a 202: most scans take less */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conn.h"
#include "keeper_wire.h"
#include "log.h"
#include "sandbox.h"
#include "stored.h"

static const struct policy *policy_of(const struct conn *c)
{
	const struct settings *s = conn_env(c)->settings;

	return c->req.policy[0] ? settings_policy(s, c->req.policy) : s->default_policy;
}

/* Is a scan of a file that is said to have this digest under way? */
static bool is_being_scanned(const struct clients *all, const uint8_t sha256[32])
{
	for (const struct client *io = all->first; io; io = io->next) {
		const struct conn *c = (const struct conn *)io;

		if (io->kind == &conn_kind && c->scan && c->req.has_sha256 && !c->req.claimed &&
		    memcmp(c->req.sha256, sha256, sizeof(c->req.sha256)) == 0)
			return true;
	}
	return false;
}

static void reply_pending(struct conn *c)
{
	static const char body[] = "{\"pending\":true}";
	const struct reply r = { .status = 202, .content_type = REPLY_JSON, .retry_after_s = KEEP_RETRY_AFTER_S };

	conn_reply(c, &r, body, sizeof(body) - 1);
}

static void reply_none(struct conn *c, const char *detail)
{
	conn_env(c)->tally.store_misses++;
	if (is_being_scanned(c->io.all, c->req.sha256) || keep_is_coming(&conn_parts(c)->keeps, c->req.sha256))
		reply_pending(c);
	else
		conn_problem(c, PROBLEM_NOT_FOUND, detail);
}

/* Return: false when it is not a row about these bytes. */
static bool read_row(const struct conn *c, struct bytes answer, struct store_row *ret)
{
	*ret = (struct store_row){ 0 };
	if (answer.n <= KEEPER_STORE_FIXED || memcmp(answer.at + 8, c->req.sha256, sizeof(ret->sha256)) != 0)
		return false;
	ret->size = load_u64le(answer.at);
	memcpy(ret->sha256, answer.at + 8, sizeof(ret->sha256));
	ret->entry = bytes_of(answer.at + KEEPER_STORE_FIXED, answer.n - KEEPER_STORE_FIXED);
	return true;
}

/* Return: false when it does not answer: what it says is not sound, or this build might say something else. */
static bool judge(struct conn *c, const struct store_row *row)
{
	const struct payer user = client_user(&c->io);
	const struct verdict_context context = { .name = c->req.name[0] ? c->req.name : NULL,
		.tenant = user.tenant,
		.request_id = c->req.request_id,
		.layer_names = jobs_layer_names(),
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = (int64_t)time(NULL) };
	struct verdict v;
	int r = stored_verdict(policy_of(c), row, &context, &v);

	if (r < 0) {
		if (r != -ESTALE)
			log_line("store: a row is no sound report; id=%s", c->req.request_id);
		return false;
	}
	conn_env(c)->tally.store_hits++;
	release_kept(
	    c, &(struct reply){ .status = 200, .content_type = REPLY_JSON, .verdict = verdict_text(v.value) }, &v);
	return true;
}

static void on_row(void *ctx, enum keeper_status status, struct bytes answer);

/* Return: whether there is an answer to wait for.  If not, the client has one. */
static bool ask(struct conn *c)
{
	uint8_t key[STORE_KEY_BYTES];

	if (c->kept_at == STORED_KEYS) {
		reply_none(c, "no verdict about these bytes, by these rules and with these limits, is kept");
		return false;
	}
	stored_key_of(c->kept_at++, c->io.peer.uid, policy_of(c), c->req.name, c->req.sha256, key);
	c->kept = keeper_ask(conn_http(c)->keeper, KEEPER_STORE_GET, bytes_of(key, sizeof(key)), on_row, c);
	if (c->kept)
		return true;
	reply_none(c, "the verdict store does not answer at the moment");
	return false;
}

static void on_row(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct conn *c = ctx;
	struct store_row row;

	c->kept = NULL;
	if (status != KEEPER_OK && status != KEEPER_NOT_FOUND)
		reply_none(c, "the verdict store does not answer at the moment");
	else if (status == KEEPER_NOT_FOUND || !read_row(c, answer, &row) || !judge(c, &row))
		(void)ask(c);
	client_settle(&c->io);
}

/* ---- of a claimed digest ---- */

static void on_base_row(void *ctx, enum keeper_status status, struct bytes answer);

/* Return: whether there is an answer to wait for. */
static bool ask_base(struct conn *c)
{
	uint8_t key[STORE_KEY_BYTES];

	if (c->kept_at == STORED_KEYS)
		return false;
	stored_key_of(c->kept_at++, c->io.peer.uid, policy_of(c), c->req.name, c->req.sha256, key);
	c->kept = keeper_ask(conn_http(c)->keeper, KEEPER_STORE_GET, bytes_of(key, sizeof(key)), on_base_row, c);
	return c->kept != NULL;
}

static void on_base_row(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct conn *c = ctx;
	struct store_row row;

	c->kept = NULL;
	if (status == KEEPER_OK && read_row(c, answer, &row))
		c->base = stored_base(&row);
	if (c->base != NULL || !ask_base(c))
		request_claimed(c);
	client_settle(&c->io);
}

void keep_find_base(struct conn *c)
{
	c->kept_at = 0;
	if (conn_env(c)->settings->config.store && ask_base(c))
		conn_wait(c, CONN_ADMIT);
	else
		request_claimed(c);
}

void keep_reply(struct conn *c)
{
	if (!policy_of(c)) {
		conn_problem(c, PROBLEM_BAD_REQUEST, "there is no policy of this name");
		return;
	}
	if (c->req.attest && !release_can_sign(conn_env(c)->settings)) {
		conn_problem(c, PROBLEM_UNSUPPORTED, "this daemon signs no verdicts");
		return;
	}
	if (!conn_env(c)->settings->config.store) {
		conn_problem(c, PROBLEM_NOT_FOUND, "this daemon keeps no verdicts");
		return;
	}
	c->kept_at = 0;
	if (ask(c))
		conn_wait(c, CONN_ADMIT);
}
