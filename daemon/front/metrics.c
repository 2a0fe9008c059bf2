/* See metrics.h.  In base units (seconds, bytes), counters end in _total, labels come from fixed lists only: nothing that
 * a client chose can make a series. */
#include "metrics.h"

#include <stdarg.h>
#include <stdio.h>

#include "log.h"
#include "sandbox.h"

struct text {
	char *at;
	size_t n;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at + t->n, CONN_METRICS_MAX - t->n, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= CONN_METRICS_MAX - t->n)
		t->full = true;
	else
		t->n += (size_t)n;
}

/* Before the values of a metric. */
static void add_head(struct text *t, const char *name, const char *type, const char *help)
{
	add(t, "# HELP weighlock_%s %s\n# TYPE weighlock_%s %s\n", name, help, name, type);
}

static void add_value(struct text *t, const char *name, const char *label, const char *label_value, uint64_t value)
{
	add(t, "weighlock_%s{%s=\"%s\"} %llu\n", name, label, label_value, (unsigned long long)value);
}

static void add_counter(struct text *t, const char *name, uint64_t value, const char *help)
{
	add_head(t, name, "counter", help);
	add(t, "weighlock_%s %llu\n", name, (unsigned long long)value);
}

static void add_gauge(struct text *t, const char *name, uint64_t value, const char *help)
{
	add_head(t, name, "gauge", help);
	add(t, "weighlock_%s %llu\n", name, (unsigned long long)value);
}

/* ---- verdicts and workers ---- */

static void add_by_verdict(struct text *t, const char *name, const uint64_t *values)
{
	for (int v = VERDICT_ACCEPT; v <= VERDICT_REJECT; v++)
		add_value(t, name, "verdict", verdict_text((enum verdict_value)v), values[v]);
}

static void add_by_class(struct text *t, const struct tally *y)
{
	add_head(t, "verdicts_by_class_total", "counter",
	    "Verdicts about files, by value and by the worst class of finding that decided.");
	for (int v = VERDICT_ACCEPT; v <= VERDICT_REJECT; v++) {
		for (unsigned c = 0; c <= TALLY_NO_CLASS; c++)
			add(t, "weighlock_verdicts_by_class_total{verdict=\"%s\",class=\"%s\"} %llu\n",
			    verdict_text((enum verdict_value)v),
			    c == TALLY_NO_CLASS ? "none" : finding_class_text((enum finding_class)c),
			    (unsigned long long)y->verdicts[v][c]);
	}
}

static void add_verdicts(struct text *t, const struct metrics_sources *f)
{
	const struct tally *m = &f->env->tally;
	uint64_t verdicts[VERDICT_REJECT + 1] = { 0 };

	for (size_t i = 0; i < (VERDICT_REJECT + 1) * (size_t)(TALLY_NO_CLASS + 1); i++)
		verdicts[i / (TALLY_NO_CLASS + 1)] += m->verdicts[i / (TALLY_NO_CLASS + 1)][i % (TALLY_NO_CLASS + 1)];
	add_head(t, "verdicts_total", "counter", "Verdicts about files, by value.");
	add_by_verdict(t, "verdicts_total", verdicts);
	add_by_class(t, m);
	add_head(t, "sets_total", "counter", "Verdicts about sets of files, by value.");
	add_by_verdict(t, "sets_total", m->sets);
	add_head(t, "scans_ended_total", "counter", "Verdicts about files, by what kept the scan from ending well.");
	for (int i = 0; i < WLK_N_CAUSES; i++)
		add_value(t, "scans_ended_total", "cause", cause_text((enum wlk_cause)i), m->causes[i]);
}

static void add_shadow(struct text *t, const struct tally *y)
{
	add_head(t, "shadow_verdicts_total", "counter",
	    "Verdicts of default_policy, by value and by what shadow_policy makes of the same report.");
	for (int v = VERDICT_ACCEPT; v <= VERDICT_REJECT; v++) {
		for (int w = VERDICT_ACCEPT; w <= VERDICT_REJECT; w++)
			add(t, "weighlock_shadow_verdicts_total{verdict=\"%s\",shadow=\"%s\"} %llu\n",
			    verdict_text((enum verdict_value)v), verdict_text((enum verdict_value)w),
			    (unsigned long long)y->shadow[v][w]);
	}
}

static void add_exits(struct text *t, const struct tally *y)
{
	static const char *const reasons[] = {
#define X(name, text) text,
		TALLY_EXITS(X)
#undef X
	};

	add_head(t, "worker_exits_total", "counter", "Ends of worker processes, by reason.");
	for (unsigned i = 0; i < N_TALLY_EXITS; i++)
		add_value(t, "worker_exits_total", "reason", reasons[i], y->exits[i]);
}

/* ---- the histogram ---- */

static void add_buckets(struct text *t, const char *size, const struct tally_histogram *h)
{
	static const char *const bounds[] = {
#define X(ms, text) text,
		TALLY_BUCKETS(X) "+Inf"
#undef X
	};
	unsigned long long n = 0;

	for (unsigned i = 0; i < N_TALLY_BUCKETS; i++) {
		n += h->buckets[i];
		add(t, "weighlock_scan_duration_seconds_bucket{size=\"%s\",le=\"%s\"} %llu\n", size, bounds[i], n);
	}
	add(t, "weighlock_scan_duration_seconds_sum{size=\"%s\"} %.6f\n", size, h->sum_s);
	add(t, "weighlock_scan_duration_seconds_count{size=\"%s\"} %llu\n", size, n);
}

static void add_durations(struct text *t, const struct tally *y)
{
	static const char *const sizes[] = {
#define X(bytes, text) text,
		TALLY_SIZES(X)
#undef X
	};

	add_head(
	    t, "scan_duration_seconds", "histogram", "From the start of a worker to its verdict, by size of the file.");
	for (unsigned i = 0; i < N_TALLY_SIZES; i++)
		add_buckets(t, sizes[i], &y->scans[i]);
}

/* ---- requests ---- */

static void add_problems(struct text *t, const struct http *http)
{
	static const char *const types[] = {
#define X(id, type, status, retry, title) type,
		PROBLEMS(X)
#undef X
	};

	add_head(
	    t, "problems_by_type_total", "counter", "Requests answered with a problem instead of a verdict, by type.");
	for (unsigned i = 0; i < N_PROBLEMS; i++)
		add_value(t, "problems_by_type_total", "type", types[i], http->problems[i]);
}

static void add_refusals(struct text *t, const struct tally *y)
{
	static const char *const reasons[] = {
#define X(name, text) text,
		TALLY_REFUSALS(X)
#undef X
	};

	add_head(t, "uploads_refused_total", "counter", "Files that were not taken, by reason.");
	for (unsigned i = 0; i < N_TALLY_REFUSALS; i++)
		add_value(t, "uploads_refused_total", "reason", reasons[i], y->refusals[i]);
}

static void add_requests(struct text *t, const struct metrics_sources *f)
{
	const struct tally *m = &f->env->tally;

	add_counter(t, "connections_total", m->connections, "Connections accepted.");
	add_gauge(t, "connections", f->clients->n, "Connections open now.");
	add_counter(t, "refused_connections_total", m->refused_peers, "Connections of peers who may not connect.");
	add_counter(t, "accept_failures_total", m->accept_failures, "Connections lost for want of descriptors.");
	add_counter(t, "requests_total", m->requests, "Request heads read.");
	add_counter(t, "problems_total", m->problems, "Requests answered with a problem instead of a verdict.");
	add_problems(t, f->http);
	add_refusals(t, &f->env->tally);
	add_counter(t, "uploaded_bytes_total", m->upload_bytes, "Bytes of bodies received.");
	add_counter(t, "scanned_bytes_total", m->bytes_scanned, "Bytes of files examined.");
}

/* ---- queue, spool, processes ---- */

static void add_queue(struct text *t, const struct metrics_sources *f)
{
	const struct queue_counts q = queue_counts(jobs_parts(f->jobs)->queue);

	add_gauge(t, "queue_admitted", q.admitted, "Files admitted whose bytes are still on their way.");
	add_gauge(t, "queue_waiting", q.waiting, "Files that wait for a slot.");
	add_head(t, "queue_oldest_seconds", "gauge", "How long the file that waits for a slot longest has waited.");
	add(t, "weighlock_queue_oldest_seconds %.3f\n", (double)jobs_oldest_wait_ms(f->jobs) / 1e3);
	add_gauge(t, "scans_running", q.running, "Files being examined.");
	add_gauge(t, "slots", q.slots, "Files that can be examined at a time; lost slots are taken off.");
	add_gauge(t, "tenants", q.tenants, "Tenants with a file in work.");
	add_counter(t, "slots_lost_total", f->env->tally.slots_lost, "Slots lost to workers that SIGKILL did not end.");
	add_counter(
	    t, "early_scans_total", f->env->tally.early_started, "Scans begun while their upload was arriving.");
	add_counter(
	    t, "early_scans_withdrawn_total", f->env->tally.early_withdrawn, "Of those, begun anew from the spool.");
}

static void add_spool(struct text *t, const struct metrics_sources *f)
{
	const struct spool_usage u = spool_store_usage(jobs_parts(f->jobs)->spools);

	add_gauge(t, "spool_bytes", spool_store_used(jobs_parts(f->jobs)->spools),
	    "Bytes reserved for bodies, in memory and spool_dir.");
	add_head(t, "spool_used_bytes", "gauge", "Bytes reserved for bodies, by place.");
	add_value(t, "spool_used_bytes", "place", "memory", u.memory);
	add_value(t, "spool_used_bytes", "place", "folder", u.folder);
	add_head(t, "spool_limit_bytes", "gauge", "What may be reserved, by place: memfd_bytes and spool_bytes.");
	add_value(t, "spool_limit_bytes", "place", "memory", u.memory_max);
	add_value(t, "spool_limit_bytes", "place", "folder", u.folder_max);
	add_gauge(t, "unsent_bytes", f->clients->unsent, "Bytes of answers that clients have not taken yet.");
}

static void add_layers(struct text *t, const struct zygote_link *l)
{
	add_head(t, "sandbox_layer_active", "gauge", "Is this layer of the workers' jail active?");
	for (unsigned i = 0; l && i < SANDBOX_N_LAYERS; i++)
		add_value(t, "sandbox_layer_active", "layer", sandbox_layer_info((enum sandbox_layer)i)->name,
		    zygote_layers(l)[i] == 0);
}

static void add_processes(struct text *t, const struct metrics_sources *f)
{
	const struct zygote_link *l = zygotes_current(jobs_parts(f->jobs)->zygotes);
	const struct tally *m = &f->env->tally;

	add_exits(t, &f->env->tally);
	add_counter(t, "zygotes_started_total", m->zygotes_started, "Zygotes started.");
	add_counter(t, "zygotes_retired_total", m->zygotes_retired, "Zygotes replaced after a worker died, or hung.");
	add_layers(t, l);
	add_gauge(t, "client_descriptors", files_held(&f->env->files), "Clients' descriptors held open.");
	add_gauge(t, "storage_threads_stuck", files_lanes_stuck(&f->env->files),
	    "Threads held up by a client's storage, of 8.");
	add_counter(t, "log_lines_lost_total", log_lost(), "Log lines that nobody took.");
	add_gauge(t, "ready", l && jobs_are_good(jobs_parts(f->jobs)), "Does it take requests, as /readyz says?");
	add_gauge(t, "start_time_seconds", (uint64_t)f->env->started_at,
	    "When these numbers began, in seconds since 1970: the start, or the last reload.");
	add_head(t, "build_info", "gauge", "Always 1; the version is in the label.");
	add_value(t, "build_info", "version", WLK_VERSION, 1);
}

/* ---- the keeper ---- */

static void add_audit(struct text *t, const struct metrics_sources *f)
{
	add_counter(t, "audit_recorded_total", f->env->tally.audit_recorded, "Verdicts recorded in the audit log.");
	add_counter(t, "audit_failed_total", f->env->tally.audit_failed, "Verdicts that could not be recorded.");
	add_gauge(t, "audit_held_bytes", jobs_parts(f->jobs)->audit.held,
	    "About what verdicts that wait to be recorded take in memory.");
	add_gauge(t, "audit_seq", jobs_parts(f->jobs)->audit.known ? jobs_parts(f->jobs)->audit.seq : 0,
	    "Number of the last line this front knows of.");
}

static void add_store(struct text *t, const struct metrics_sources *f)
{
	const struct tally *m = &f->env->tally;

	add_gauge(t, "keeper_up", keeper_link_is_up(f->keeper), "Is there a keeper?  Without one nothing is kept.");
	add_gauge(t, "keeper_pending", keeper_link_pending(f->keeper), "Questions to the keeper without an answer.");
	add_counter(t, "store_stored_total", m->store_stored, "Reports kept.");
	add_counter(t, "store_refused_total", m->store_refused, "Reports not worth keeping.");
	add_counter(t, "store_failed_total", m->store_failed, "Reports that the keeper did not take.");
	add_counter(t, "store_hits_total", m->store_hits, "Questions answered from the verdict store.");
	add_counter(t, "store_misses_total", m->store_misses, "Questions that the verdict store could not answer.");
}

bool metrics_text(const struct metrics_sources *f, char buf[CONN_METRICS_MAX])
{
	struct text t = { .at = buf };

	add_verdicts(&t, f);
	if (f->env->settings->shadow_policy)
		add_shadow(&t, &f->env->tally);
	add_durations(&t, &f->env->tally);
	add_requests(&t, f);
	add_queue(&t, f);
	add_spool(&t, f);
	add_processes(&t, f);
	if (f->keeper)
		add_store(&t, f);
	if (f->env->settings->config.audit != CONFIG_AUDIT_OFF)
		add_audit(&t, f);
	if (t.n > 0)
		buf[t.n - 1] = '\0'; /* the reply ends with a newline of its own */
	return !t.full;
}
