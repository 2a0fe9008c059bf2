/* Files of R's saveRDS() and save(): see rds.h.  Here: what the file is, findings, and how the walk ends. */
#include "rds.h"

#include "identify_signs.h"
#include "member.h"

/* -- findings -- */

void rds_finding(struct rds_walk *w, enum wlk_finding code, const char *found)
{
	struct finding f = { .code = code, .has_offset = true, .offset = w->at };

	/* which kind of code it is: so that a policy can take one and leave another */
	if (found != NULL && code == WLK_F_RDS_CODE)
		f.subject = bytes_of_text(found);
	else if (found != NULL)
		f.found = value_text(bytes_of_text(found));
	layout_finding(w->l, &f);
}

void rds_number(struct rds_walk *w, enum wlk_finding code, uint64_t found, uint64_t allowed)
{
	layout_value(w->l, code, w->at, found, allowed);
}

void rds_break(struct rds_walk *w, enum wlk_finding code, const char *found)
{
	rds_finding(w, code, found);
	w->broken = true;
}

const char *rds_type_name(enum rds_type t)
{
	static const char *const names[] = { [RDS_SYM] = "SYMSXP",
		[RDS_LIST] = "LISTSXP",
		[RDS_CLO] = "CLOSXP",
		[RDS_ENV] = "ENVSXP",
		[RDS_PROM] = "PROMSXP",
		[RDS_LANG] = "LANGSXP",
		[RDS_SPECIAL] = "SPECIALSXP",
		[RDS_BUILTIN] = "BUILTINSXP",
		[RDS_CHAR] = "CHARSXP",
		[RDS_LGL] = "LGLSXP",
		[RDS_INT] = "INTSXP",
		[RDS_REAL] = "REALSXP",
		[RDS_CPLX] = "CPLXSXP",
		[RDS_STR] = "STRSXP",
		[RDS_DOT] = "DOTSXP",
		[RDS_VEC] = "VECSXP",
		[RDS_EXPR] = "EXPRSXP",
		[RDS_BCODE] = "BCODESXP",
		[RDS_EXTPTR] = "EXTPTRSXP",
		[RDS_WEAKREF] = "WEAKREFSXP",
		[RDS_RAW] = "RAWSXP",
		[RDS_S4] = "S4SXP",
		[RDS_ALTREP] = "ALTREP",
		[RDS_NILVALUE] = "NULL",
		[RDS_REF] = "reference" };

	return t < sizeof(names) / sizeof(names[0]) && names[t] != NULL ? names[t] : "no type of R";
}

/* -- the file -- */

static enum wlk_status cover(struct layout *l, uint64_t size)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	*e = (struct extent){ .end = size, .kind = EXTENT_METADATA };
	return WLK_DONE;
}

/* @size: bytes that there were. */
static enum wlk_status conclude(struct rds_walk *w, uint64_t size)
{
	struct layout *l = w->l;

	l->report->manifest_partial = true; /* vectors have no names but by what they are in */
	if (w->stopped)
		return WLK_INCOMPLETE;
	if (w->broken)
		return WLK_BROKEN;
	if (!w->ended) {
		layout_value(l, WLK_F_RDS_TRUNCATED, w->offset, size, w->offset + 1);
		return WLK_BROKEN;
	}
	if (w->offset != size) {
		layout_value(l, WLK_F_RDS_TRAILING_BYTES, w->offset, size, w->offset);
		return WLK_BROKEN;
	}
	return w->unsure ? WLK_BROKEN : cover(l, size);
}

/* Learns the size of a stream that did not say it. */
static enum wlk_status read_stream(struct layout *l, struct stream *s)
{
	struct rds_walk *w;
	struct stream_state state;
	enum stream_end end;

	layout_raise_memory(l, sizeof(*w) + 4 * sizeof(struct rds_reference) * (uint64_t)RDS_REFERENCES_MAX);
	w = arena_alloc(l->arena, 1, sizeof(*w));
	if (w == NULL)
		return layout_stop(l);
	w->l = l;
	w->size = s->size;
	rds_walk_begin(w);
	end = stream_preview(s, l->arena, (struct feeder){ rds_walk_feed, w }, &state);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	if (!w->broken && !w->stopped && !stream_end_is_usable(end))
		return WLK_BROKEN; /* the wrapper says why */
	s->size = s->size == STREAM_SIZE_UNKNOWN ? state.decoded : s->size;
	return conclude(w, state.decoded);
}

static enum wlk_status layout(struct layout *l)
{
	struct stream s = { .part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size };

	return read_stream(l, &s);
}

static enum wlk_status judge(struct layout *l, struct member *m)
{
	return read_stream(l, &m->stream);
}

static bool probe(const struct probe *p)
{
	const struct sign *s = identify_sign(bytes_of(p->head, p->n), p->size);

	return s != NULL && s->id == WLK_FORMAT_RDS;
}

const struct wlk_format format_rds = {
	.id = WLK_FORMAT_RDS, .probe = probe, .layout = layout, .nested = NESTED_STREAM, .judge = judge
};
