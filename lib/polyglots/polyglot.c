/* The table of rules, and what they work with.  See polyglot.h. */
#include "polyglot.h"

#include <assert.h>
#include <string.h>

#include "checked.h"
#include "probes.h"

static_assert(WLK_FORMAT_NAMED < 128, "a set of hosts is 128 bits");

#define ZIPS                                                                                              \
	(POLYGLOT_HOST(ZIP) | POLYGLOT_HOST(NPZ) | POLYGLOT_HOST(KERAS_ZIP) | POLYGLOT_HOST(PYTORCH) |    \
	    POLYGLOT_HOST(TORCHSCRIPT) | POLYGLOT_HOST(SKOPS) | POLYGLOT_HOST(MAR) | POLYGLOT_HOST(PT2) | \
	    POLYGLOT_HOST(DCP) | POLYGLOT_HOST(DDUF) | POLYGLOT_HOST(MEDIAPIPE))
#define TARS (POLYGLOT_HOST(TAR) | POLYGLOT_HOST(PYTORCH_TAR) | POLYGLOT_HOST(NEMO))
#define PICKLES (POLYGLOT_HOST(PICKLE) | POLYGLOT_HOST(JOBLIB) | POLYGLOT_HOST(PYTORCH_LEGACY))
#define SAFETENSORS POLYGLOT_HOST(SAFETENSORS)
#define PROTOBUFS \
	(POLYGLOT_HOST(ONNX) | POLYGLOT_HOST(SAVEDMODEL) | POLYGLOT_HOST(TF_GRAPH) | POLYGLOT_HOST(TF_METAGRAPH))
/* Those and the others that are messages themselves, whose fields mean something else. */
#define MESSAGES (PROTOBUFS | POLYGLOT_HOST(ONNX_TENSOR) | POLYGLOT_HOST(COREML) | POLYGLOT_HOST(PADDLE))
/* Documents that begin with a comment or with a tag of their own: their readers know every element there is, and refuse the
 * comments that end earlier for browsers. */
#define MARKUP (POLYGLOT_HOST(SVG) | POLYGLOT_HOST(OPENVINO) | POLYGLOT_HOST(PMML) | POLYGLOT_HOST(XML))
#define ALL (~(polyglot_hosts)0)

/* Everything the file may also be, and the hosts it is asked of: a host is not a polyglot of itself, and what its own
 * reader checks is not looked for again.  Members of hosts: polyglot/members.c. */
static const struct rule {
	void (*find)(struct view *v);
	uint64_t head, tail; /* bytes of either that it looks at */
	bool probes;         /* single places of HDF5 behind the head */
	unsigned walks;      /* WALK_*: what has to be seen go by */
	polyglot_hosts hosts;
} rules[] = {
	{ find_magic, 4, 0, false, 0, SAFETENSORS },
	{ find_gzip, 64 * 1024, 0, false, 0, SAFETENSORS },
	{ find_tfrecord, 12, 0, false, 0, SAFETENSORS },
	{ find_markup, 128 * 1024, 0, false, 0, SAFETENSORS },
	{ find_zip, 0, POLYGLOT_ZIP_TAIL, false, 0, ~ZIPS },
	{ find_pdf, POLYGLOT_PDF_HEAD + POLYGLOT_PDF_BEHIND, POLYGLOT_PDF_TAIL, false, WALK_SEARCH, ALL },
	{ find_tar, 512, 0, false, WALK_TAR | WALK_SEARCH, ~TARS },
	{ find_tar_around, 512, 0, false, WALK_PROTOBUF | WALK_SAVED_MODEL | WALK_MSGPACK, TARS },
	{ find_hdf5, 4096, 0, true, 0, ~POLYGLOT_HOST(KERAS_HDF5) },
	{ find_7z, 0, 0, false, WALK_SEARCH, ~POLYGLOT_HOST(SEVEN_ZIP) },
	{ find_rar, 0, 0, false, WALK_SEARCH, ~POLYGLOT_HOST(RAR) },
	{ find_arj, 0, 0, false, WALK_SEARCH, ALL },
	{ find_cpio, 0, 0, false, WALK_SEARCH, ALL },
	{ find_ext, 0, 0, false, WALK_SEARCH, ALL },
	{ find_iso9660, 40 * 1024, 0, false, 0, ALL },
	{ find_dicom, 138, 0, false, 0, ALL },
	{ find_pickle, 4, 0, false, WALK_PICKLE, ~PICKLES },
	{ find_protobuf, 0, 0, false, WALK_PROTOBUF, ~PROTOBUFS },
	{ find_saved_model, 0, 0, false, WALK_SAVED_MODEL, ~MESSAGES },
	{ find_msgpack, 0, 0, false, WALK_MSGPACK, ~POLYGLOT_HOST(FLAX_MSGPACK) },
	{ find_safetensors, 128 * 1024, 0, false, 0, ~SAFETENSORS },
	{ find_program, 256, 0, false, 0, ~SAFETENSORS },
	{ find_html, 1024, 0, false, 0, ~(SAFETENSORS | MARKUP) },
	{ find_phar, 0, 0, false, WALK_SEARCH, ALL },
	{ find_disk_footer, 0, 512, false, 0, ALL },
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/* A host that is only named is not a polyglot of what it is. */
static bool is_itself(const struct rule *r, enum wlk_format_id host)
{
	return (r->find == find_program && format_info(host)->sort == FORMAT_SORT_PROGRAM) ||
	       (r->find == find_pdf && host == WLK_FORMAT_PDF) || (r->find == find_html && host == WLK_FORMAT_HTML) ||
	       (r->find == find_arj && host == WLK_FORMAT_ARJ) ||
	       ((r->find == find_iso9660 || r->find == find_disk_footer || r->find == find_ext) &&
		   host == WLK_FORMAT_DISK_IMAGE);
}

static bool applies(const struct rule *r, enum wlk_format_id host)
{
	unsigned bit = format_is_named(host) ? WLK_FORMAT_NAMED : host;

	return (r->hosts >> bit & 1) != 0 && !is_itself(r, host);
}

/* -- what rules look at -- */

bool look(struct view *v, uint64_t at, uint8_t *buf, size_t n)
{
	if (at > v->src->size || n > v->src->size - at)
		return false;
	if (n == 0)
		return true;
	if (n <= v->head.n && at <= v->head.n - n) {
		memcpy(buf, v->head.at + at, n);
		return true;
	}
	if (at >= v->tail_at) {
		memcpy(buf, v->tail.at + (at - v->tail_at), n);
		return true;
	}
	return source_reread(v->src, at, buf, n);
}

struct bytes tail_of(const struct view *v, size_t n)
{
	return n < v->tail.n ? bytes_of(v->tail.at + (v->tail.n - n), n) : v->tail;
}

static void report_find(struct report *r, const struct polyglot_find *f)
{
	report_finding(r, &(struct finding){ .code = f->code,
			      .has_offset = true,
			      .offset = f->at,
			      .subject = bytes_of_text(f->guest),
			      .found = value_text(bytes_of_text(f->evidence)) });
}

/* Kept in order of their offsets; of the same, as they come. */
void found(struct view *v, enum wlk_finding code, uint64_t at, const char *guest, const char *evidence)
{
	const struct polyglot_find f = { .code = code, .at = at, .guest = guest, .evidence = evidence };
	struct polyglot *pg = v->pg;
	size_t i = pg->n_finds;

	if (i == POLYGLOT_FINDS_MAX) {
		report_find(v->report, &f);
		return;
	}
	for (; i > 0 && pg->finds[i - 1].at > at; i--)
		pg->finds[i] = pg->finds[i - 1];
	pg->finds[i] = f;
	pg->n_finds++;
}

bool no_more_asked(struct view *v, const struct search_hit *h)
{
	(void)v;
	(void)h;
	return true;
}

/* What was searched for and confirms. */
static size_t judge_some(
    struct view *v, enum search_kind kind, size_t most, const struct polyglot_find *f, confirm_hit confirm)
{
	const struct search_hits *h = &v->pg->walk->search.hits[kind];
	uint64_t lead = search_lead(kind);
	size_t n = 0;

	for (size_t i = 0; i < h->n && n < most && v->src->err == SOURCE_OK; i++) {
		bool more = i == SEARCH_HITS_MAX;

		if (!more && !confirm(v, &h->hit[i]))
			continue;
		found(v, f->code, h->hit[i].at - lead, f->guest,
		    more ? "more signatures than are looked at" : f->evidence);
		n++;
	}
	return n;
}

void judge_hits(struct view *v, enum search_kind kind, enum wlk_finding code, const char *guest, const char *evidence,
    confirm_hit confirm)
{
	const struct polyglot_find f = { .code = code, .guest = guest, .evidence = evidence };

	judge_some(v, kind, SIZE_MAX, &f, confirm);
}

bool judge_first(struct view *v, enum search_kind kind, enum wlk_finding code, const char *guest, const char *evidence,
    confirm_hit confirm)
{
	const struct polyglot_find f = { .code = code, .guest = guest, .evidence = evidence };

	return judge_some(v, kind, 1, &f, confirm) > 0;
}

/* -- before the pass -- */

/* Probes the head holds need no capture of their own. */
static bool plan_probes(struct polyglot *pg, struct pass *p)
{
	uint64_t at = POLYGLOT_HDF5_FIRST, size = p->src->size;

	while (at + POLYGLOT_HDF5_PROBE <= pg->head->end)
		at *= 2;
	for (; at < size && POLYGLOT_HDF5_PROBE <= size - at && pg->n_probes < POLYGLOT_PROBES_MAX; at *= 2) {
		const struct capture *c = pass_capture(p, at, POLYGLOT_HDF5_PROBE);

		if (c == NULL)
			return false;
		pg->probes[pg->n_probes++] = c;
	}
	return true;
}

static bool plan_walk(struct polyglot *pg, struct pass *p, unsigned walks, struct siphash_key seed)
{
	struct polyglot_walk *w = arena_alloc(p->src->arena, 1, sizeof(*w));

	if (w == NULL)
		return false;
	w->asked = walks;
	w->arena = p->src->arena;
	w->seed = seed;
	w->size = p->src->size;
	w->members = (struct judged_members){ .extents = pg->extents, .work = &p->src->arena->work };
	polyglot_walk_begin(w, p);
	pg->walk = w;
	return true;
}

enum wlk_status polyglot_plan(struct polyglot *pg, struct pass *p, enum wlk_format_id host,
    const struct extents *extents, struct siphash_key seed)
{
	struct rule all = { 0 };
	uint64_t size = p->src->size;

	*pg = (struct polyglot){ .host = host, .extents = extents };
	if (!format_info(host)->model && !format_is_named(host))
		return WLK_DONE;
	for (size_t i = 0; i < N_RULES; i++) {
		if (!applies(&rules[i], host))
			continue;
		all.head = rules[i].head > all.head ? rules[i].head : all.head;
		all.tail = rules[i].tail > all.tail ? rules[i].tail : all.tail;
		all.probes |= rules[i].probes;
		all.walks |= rules[i].walks;
	}
	pg->head = pass_capture(p, 0, all.head);
	pg->tail = pass_capture(p, size > all.tail ? size - all.tail : 0, all.tail);
	if (pg->head == NULL || pg->tail == NULL || (all.probes && !plan_probes(pg, p)) ||
	    !plan_walk(pg, p, all.walks, seed))
		return report_stop(p->report, WLK_CAUSE_LIMIT_MEMORY, 0, 0);
	return WLK_DONE;
}

/* -- after it -- */

static struct bytes captured(const struct capture *c)
{
	return bytes_of(c->at, (size_t)(c->end - c->begin));
}

static enum wlk_status run_rules(struct view *v)
{
	for (size_t i = 0; i < N_RULES; i++) {
		if (!applies(&rules[i], v->pg->host))
			continue;
		rules[i].find(v);
		if (v->src->err != SOURCE_OK)
			return report_stop(v->report, source_cause(v->src->err), 0, 0);
	}
	return WLK_DONE;
}

enum wlk_status polyglot_judge(struct polyglot *pg, struct source *src, struct report *r)
{
	struct view v = { .pg = pg, .src = src, .report = r };
	enum wlk_status status;

	if (pg->head == NULL)
		return WLK_DONE;
	v.head = captured(pg->head);
	v.tail = captured(pg->tail);
	v.tail_at = pg->tail->begin;
	polyglot_walk_end(pg->walk);
	if (pg->walk->out_of_memory)
		return report_stop(r, WLK_CAUSE_LIMIT_MEMORY, 0, 0);
	status = run_rules(&v);
	for (size_t i = 0; i < pg->n_finds; i++)
		report_find(r, &pg->finds[i]);
	return status;
}
