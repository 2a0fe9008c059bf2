/* What lies beside an index: rules 4 and 7 of formats/safetensors-index. */
#include "set_impl.h"
#include "shard_names.h"

/* As many different stems of a folder's indexes are told apart; a model with its variants has one. */
#define STEMS_MAX 16u

/* What the folder's indexes are for, and what their shards are called. */
struct families {
	bool safetensors, others;
	struct bytes stems[STEMS_MAX]; /* of the indexes for safetensors */
	unsigned n_stems;
	bool any_stem;        /* there are more: every name is a piece of something */
	struct intern shards; /* names that indexes name, by shape */
};

/* -- names that read as a piece of the model -- */

static bool has_stem(const struct families *f, struct bytes stem)
{
	for (unsigned i = 0; i < f->n_stems; i++)
		if (name_equal_folded(f->stems[i], stem))
			return true;
	return false;
}

static void add_stem(struct families *f, struct bytes index)
{
	struct index_name parts;

	if (!index_name_parse(index, &parts) || has_stem(f, parts.stem))
		return;
	if (f->n_stems < STEMS_MAX)
		f->stems[f->n_stems++] = parts.stem;
	else
		f->any_stem = true;
}

/* "model-extra" and "model2" beside an index of "model"; but "model.fp16" is another variant of the whole, and "model" the
 * whole itself, of which rule 14 tells. */
static bool continues_a_stem(const struct families *f, struct bytes base)
{
	for (unsigned i = 0; i < f->n_stems; i++) {
		size_t n = f->stems[i].n;

		if (base.n > n && base.at[n] != '.' && name_equal_folded(bytes_of(base.at, n), f->stems[i]))
			return true;
	}
	return f->any_stem;
}

/* "layer_#.safetensors" of "Layer_12.safetensors": what the names of one writer's files have in common.
 * @room: at least base.n bytes. */
static struct bytes shape_of(struct bytes base, uint8_t *room)
{
	size_t n = 0;

	for (size_t i = 0; i < base.n; i++) {
		bool digit = base.at[i] >= '0' && base.at[i] <= '9';

		if (!digit)
			room[n++] = name_fold(base.at[i]);
		else if (n == 0 || room[n - 1] != '#')
			room[n++] = '#';
	}
	return bytes_of(room, n);
}

static bool is_shaped_as_a_shard(const struct families *f, struct bytes base)
{
	uint8_t room[SET_NAME_MAX];

	return intern_find(&f->shards, shape_of(base, room)) != INTERN_NONE;
}

/* Loaders that take files by a pattern take such a one; what else lies beside a model - an adapter, a projector, the same
 * weights for another program - they do not.  .bin may be anything, unless it is numbered. */
static bool is_shard_like(const struct families *f, struct bytes base)
{
	struct shard_number number;
	struct bytes extension = name_extension(base);
	bool numbered = shard_number_parse(base, &number);

	if (bytes_equal(extension, bytes_of_text("safetensors")))
		return f->safetensors && (numbered || continues_a_stem(f, base) || is_shaped_as_a_shard(f, base));
	return f->others && numbered &&
	       (bytes_equal(extension, bytes_of_text("bin")) || bytes_equal(extension, bytes_of_text("h5")) ||
		   bytes_equal(extension, bytes_of_text("msgpack")));
}

/* -- rule 7 -- */

static bool add_shapes(const struct set *s, const struct interned *range, struct families *f)
{
	uint8_t room[SET_NAME_MAX];
	uint32_t id;

	for (uint32_t i = range->value[0]; i < range->value[1]; i++) {
		uint32_t member = s->by_folder[i];

		if (s->places[member].referenced && !intern_add(&f->shards, shape_of(set_base(s, member), room), &id))
			return false;
	}
	return true;
}

static void check_each(struct set *s, const struct interned *range, const struct families *f)
{
	for (uint32_t i = range->value[0]; i < range->value[1]; i++) {
		uint32_t member = s->by_folder[i];

		if (!s->places[member].referenced && !s->places[member].alternative &&
		    is_shard_like(f, set_base(s, member)))
			set_finding(s, member, (struct finding){ .code = WLK_F_INDEX_SHARD_UNREFERENCED });
	}
}

static bool check_unreferenced(struct set *s, const struct interned *range, struct families *f)
{
	bool ok;

	intern_init(&f->shards, s->in->arena, s->in->seed);
	ok = add_shapes(s, range, f);
	if (ok)
		check_each(s, range, f);
	intern_done(&f->shards);
	return ok || set_stop(s);
}

/* -- rule 4 -- */

/* For a shard and a file that no index names; of two shards the index's own reader tells. */
static bool check_case(struct set *s, const struct interned *range)
{
	uint8_t folded[SET_NAME_MAX];
	struct intern seen;
	bool ok = true;

	intern_init(&seen, s->in->arena, s->in->seed);
	for (uint32_t i = range->value[0]; i < range->value[1] && ok; i++) {
		uint32_t member = s->by_folder[i], id;
		struct bytes base = set_base(s, member);

		for (size_t k = 0; k < base.n; k++)
			folded[k] = name_fold(base.at[k]);
		ok = intern_add(&seen, bytes_of(folded, base.n), &id);
		if (!ok)
			break;
		if (seen.list[id].value[0] == 0) {
			seen.list[id].value[0] = member + 1;
			continue;
		}
		id = seen.list[id].value[0] - 1;
		if (s->places[id].referenced != s->places[member].referenced)
			set_finding(s, member,
			    (struct finding){
				.code = WLK_F_INDEX_SHARD_CASE, .allowed = value_text(s->members[id].name) });
	}
	intern_done(&seen);
	return ok || set_stop(s);
}

/* -- a folder -- */

/* Return: all of the folder's indexes were read whole, so what none of them names is named nowhere. */
static bool all_whole(const struct set *s, const struct interned *range, struct families *ret)
{
	bool whole = true;

	*ret = (struct families){ 0 };
	for (uint32_t i = range->value[0]; i < range->value[1]; i++) {
		const struct set_member *m = &s->members[s->by_folder[i]];

		if (m->format == WLK_FORMAT_SAFETENSORS_INDEX) {
			ret->safetensors = true;
			add_stem(ret, set_base(s, s->by_folder[i]));
		}
		ret->others = ret->others || m->format == WLK_FORMAT_SHARD_INDEX;
		whole = whole && (!set_is_index(m) || m->state == SET_MEMBER_WHOLE);
	}
	return whole;
}

bool set_judge_folder(struct set *s, uint32_t folder)
{
	const struct interned *range = &s->folders.list[folder];
	struct families f;

	if (all_whole(s, range, &f) && !check_unreferenced(s, range, &f))
		return false;
	return check_case(s, range);
}
