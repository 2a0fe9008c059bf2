/* Everything that is not a scan: small answers made on the spot. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "log.h"
#include "sandbox.h"
#include "zygotes.h"

static void reply_text(struct conn *c, unsigned status, const char *type, const char *text)
{
	const struct reply r = { .status = status, .content_type = type };

	conn_reply(c, &r, text, strlen(text));
}

/* @json: taken; NULL for want of memory. */
static void reply_json(struct conn *c, unsigned status, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	if (text)
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
	const struct zygote_link *l = zygotes_current(c->front->zygotes);
	bool ready = l && c->front->proven && !c->front->draining;

	reply_json(c, ready ? 200 : 503,
	    json_pack("{s:b, s:b, s:o}", "ready", ready, "draining", c->front->draining, "layers", layers(l)));
}

static void version(struct conn *c)
{
	reply_json(c, 200,
	    json_pack("{s:s, s:s, s:s, s:[s]}", "name", "weighlock", "version", WLK_VERSION, "rules", rules_sha256(),
		"api", "v1"));
}

/* ---- metrics: the Prometheus text format, version 0.0.4 ---- */

struct text {
	char at[8192];
	size_t n;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at + t->n, sizeof(t->at) - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = (size_t)n < sizeof(t->at) - t->n ? t->n + (size_t)n : sizeof(t->at) - 1;
}

static void add_one(struct text *t, const char *name, const char *type, uint64_t value)
{
	add(t, "# TYPE weighlock_%s %s\nweighlock_%s %llu\n", name, type, name, (unsigned long long)value);
}

static void add_verdicts(struct text *t, const struct metrics *m)
{
	add(t, "# TYPE weighlock_verdicts_total counter\n");
	for (int v = VERDICT_ACCEPT; v <= VERDICT_REJECT; v++)
		add(t, "weighlock_verdicts_total{verdict=\"%s\"} %llu\n", verdict_text((enum verdict_value)v),
		    (unsigned long long)m->verdicts[v]);
	add(t, "# TYPE weighlock_scans_ended_total counter\n");
	for (int i = 0; i < WLK_N_CAUSES; i++)
		add(t, "weighlock_scans_ended_total{cause=\"%s\"} %llu\n", cause_text((enum wlk_cause)i),
		    (unsigned long long)m->causes[i]);
}

static void metrics(struct conn *c)
{
	const struct front *f = c->front;
	const struct metrics *m = &f->metrics;
	const struct queue_counts q = queue_counts(f->queue);
	static struct text t;

	t.n = 0;
	add_verdicts(&t, m);
	add_one(&t, "connections_total", "counter", m->connections);
	add_one(&t, "connections", "gauge", f->n_conns);
	add_one(&t, "refused_connections_total", "counter", m->refused_peers);
	add_one(&t, "accept_failures_total", "counter", m->accept_failures);
	add_one(&t, "requests_total", "counter", m->requests);
	add_one(&t, "problems_total", "counter", m->problems);
	add_one(&t, "uploaded_bytes_total", "counter", m->upload_bytes);
	add_one(&t, "scanned_bytes_total", "counter", m->bytes_scanned);
	add_one(&t, "queue_admitted", "gauge", q.admitted);
	add_one(&t, "queue_waiting", "gauge", q.waiting);
	add_one(&t, "scans_running", "gauge", q.running);
	add_one(&t, "slots", "gauge", q.slots);
	add_one(&t, "slots_lost_total", "counter", m->slots_lost);
	add_one(&t, "early_scans_total", "counter", m->early_started);
	add_one(&t, "early_scans_withdrawn_total", "counter", m->early_withdrawn);
	add_one(&t, "spool_bytes", "gauge", spool_store_used(f->spools));
	add_one(&t, "unsent_bytes", "gauge", f->unsent);
	add_one(&t, "log_lines_lost_total", "counter", log_lost());
	add_one(&t, "client_descriptors", "gauge", files_held(&f->files));
	add_one(&t, "storage_threads_stuck", "gauge", files_lanes_stuck(&f->files));
	add_one(&t, "zygotes_started_total", "counter", m->zygotes_started);
	add_one(&t, "zygotes_retired_total", "counter", m->zygotes_retired);
	t.n -= 1; /* the reply ends with a newline of its own */
	t.at[t.n] = '\0';
	reply_text(c, 200, REPLY_METRICS, t.at);
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
	default: conn_problem(c, PROBLEM_NOT_FOUND, NULL); break;
	}
}
