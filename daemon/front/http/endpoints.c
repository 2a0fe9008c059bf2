/* Everything that is not a scan: small answers made on the spot. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "sandbox.h"

static void reply_text(struct conn *c, unsigned status, const char *type, const char *text)
{
	const struct reply r = { .status = status, .content_type = type };

	conn_reply(c, &r, text, strlen(text));
}

/* @json: taken; NULL for want of memory. */
static void reply_json(struct conn *c, unsigned status, json_t *json)
{
	char *text = json_text(json, JSON_COMPACT);

	json_decref(json);
	if (text != NULL)
		reply_text(c, status, REPLY_JSON, text);
	else
		conn_problem(c, PROBLEM_INTERNAL, "out of memory");
	free(text);
}

static json_t *layers(const struct zygote_link *l)
{
	json_t *all = json_array();

	for (unsigned i = 0; l && i < SANDBOX_N_LAYERS; i++) {
		if (zygote_layers(l)[i] == 0)
			json_array_append_new(all, json_string(sandbox_layer_info((enum sandbox_layer)i)->name));
	}
	return all;
}

static void readyz(struct conn *c)
{
	const struct zygote_link *l = zygotes_current(conn_parts(c)->zygotes);
	bool draining = conn_env(c)->draining, ready = l && jobs_are_good(conn_parts(c));

	reply_json(c, ready ? 200 : 503,
	    json_pack("{s:b, s:b, s:o}", "ready", ready, "draining", draining, "layers", layers(l)));
}

static void version(struct conn *c)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:[s]}", "name", "weighlock", "version", WLK_VERSION, "rules",
	    rules_sha256(), "api", "v1");
	json_t *audit = audit_json(&conn_parts(c)->audit);

	if (audit != NULL)
		json_object_set_new(o, "audit", audit);
	reply_json(c, 200, o);
}

static void metrics(struct conn *c)
{
	static char text[CONN_METRICS_MAX];

	if (conn_http(c)->metrics(conn_http(c)->ctx, text))
		reply_text(c, 200, REPLY_METRICS, text);
	else
		conn_problem(c, PROBLEM_INTERNAL, "the metrics are too long");
}

void endpoint_reply(struct conn *c)
{
	switch (c->req.route) {
	case HTTP_ROUTE_HEALTHZ: reply_text(c, 200, REPLY_TEXT, "ok"); break;
	case HTTP_ROUTE_READYZ: readyz(c); break;
	case HTTP_ROUTE_VERSION: version(c); break;
	case HTTP_ROUTE_RULES: reply_json(c, 200, rules_json()); break;
	case HTTP_ROUTE_FORMATS: reply_json(c, 200, formats_json()); break;
	case HTTP_ROUTE_METRICS: metrics(c); break;
	case HTTP_ROUTE_VERDICT: keep_reply(c); break;
	case HTTP_ROUTE_EXCEPTIONS: except_reply(c); break;
	default: conn_problem(c, PROBLEM_NOT_FOUND, NULL); break;
	}
}
