/* The parts of split GGUF files: formats/gguf, rule 47.  `<stem>-00001-of-00003.gguf` belongs to two others; each says in its
 * metadata which part it is (split.no, from 0), of how many (split.count) and how many tensors there are in all
 * (split.tensors.count).  Loaders go by the name to find the parts and by the metadata to trust them. */
#include "checked.h"
#include "set_impl.h"
#include "shard_names.h"

/* value[] of a group: the first of its members plus one, and how many it has. */
enum { GROUP_FIRST, GROUP_N };

struct splits {
	struct set *s;
	struct intern groups; /* folder, stem and total */
	uint32_t *next;       /* of each member: the next of its group plus one */
	/* Of the group at hand: */
	struct intern tensors; /* value[0]: the member it was seen in */
	uint32_t member;       /* whose rows go by */
	uint64_t n_tensors;
	bool failed;
};

static bool split_name(const struct set *s, uint32_t member, struct shard_number *ret)
{
	return shard_number_parse(s->members[member].name, ret) && ret->plain &&
	       bytes_equal(ret->rest, bytes_of_text(".gguf"));
}

static void mismatch(struct splits *q, uint32_t member, struct bytes subject, struct value found, struct value allowed)
{
	set_finding(q->s, member,
	    (struct finding){
		.code = WLK_F_GGUF_SPLIT_MISMATCH, .subject = subject, .found = found, .allowed = allowed });
}

/* -- grouping -- */

/* Two totals behind one stem are two models. */
static bool add_part(struct splits *q, uint32_t member, const struct shard_number *number)
{
	uint8_t key[SET_NAME_MAX + 4];
	struct interned *group;
	uint32_t id;

	bytes_copy(key, number->stem);
	store_u32le(key + number->stem.n, number->total);
	if (!intern_add(&q->groups, bytes_of(key, number->stem.n + 4), &id))
		return false;
	group = &q->groups.list[id];
	q->next[member] = group->value[GROUP_FIRST];
	group->value[GROUP_FIRST] = member + 1;
	group->value[GROUP_N]++;
	return true;
}

/* A part that was given another name is not found by whoever looks for it, and is no model of its own. */
static void check_unnamed(struct splits *q, uint32_t member)
{
	const struct value *count = set_fact(q->s, member, WLK_FACT_SPLIT_COUNT);

	if (q->s->members[member].format == WLK_FORMAT_GGUF && count != NULL && count->number > 1)
		mismatch(q, member, bytes_of_text("split.count"), *count, value_number(1));
}

/* From the last member on, so that each group lists its own in the document's order. */
static bool group_all(struct splits *q)
{
	for (uint32_t i = q->s->n; i > 0; i--) {
		struct shard_number number;

		if (!split_name(q->s, i - 1, &number))
			check_unnamed(q, i - 1);
		else if (!add_part(q, i - 1, &number))
			return set_stop(q->s);
	}
	return true;
}

/* -- one part -- */

/* A part that was not judged to its end may say more than is known. */
static void check_fact(struct splits *q, uint32_t member, enum wlk_fact id, const char *key, uint64_t allowed)
{
	const struct value *found = set_fact(q->s, member, id);
	bool known = found != NULL && found->kind == VALUE_NUMBER;

	if (known ? found->number != allowed : q->s->members[member].state == SET_MEMBER_WHOLE)
		mismatch(q, member, bytes_of_text(key), known ? *found : value_text(bytes_of_text("missing")),
		    value_number(allowed));
}

static void check_part(struct splits *q, uint32_t member)
{
	struct shard_number number;

	(void)split_name(q->s, member, &number);
	if (number.number == 0 || number.number > number.total) {
		mismatch(q, member, (struct bytes){ 0 }, value_number(number.number), value_number(number.total));
		return;
	}
	if (q->s->members[member].format != WLK_FORMAT_GGUF)
		return;
	check_fact(q, member, WLK_FACT_SPLIT_NO, "split.no", number.number - 1);
	check_fact(q, member, WLK_FACT_SPLIT_COUNT, "split.count", number.total);
}

/* -- a group -- */

/* Names differ, so as many parts as the total says, all within it, are all there are. */
static void check_complete(struct splits *q, const struct interned *group, uint32_t total)
{
	uint32_t first = group->value[GROUP_FIRST] - 1, in_range = 0;

	for (uint32_t at = group->value[GROUP_FIRST]; at != 0; at = q->next[at - 1]) {
		struct shard_number number;

		(void)split_name(q->s, at - 1, &number);
		in_range += number.number > 0 && number.number <= total;
	}
	if (in_range < total)
		mismatch(q, first, (struct bytes){ 0 }, value_number(in_range), value_number(total));
}

static bool take_tensor(void *ctx, const struct manifest_row *row)
{
	struct splits *q = ctx;
	size_t before = q->tensors.n;
	uint32_t id;

	if (row->kind != MANIFEST_TENSOR)
		return true;
	q->n_tensors++;
	q->failed = !intern_add(&q->tensors, row->name, &id);
	if (q->failed)
		return false;
	if (q->tensors.n > before)
		q->tensors.list[id].value[0] = q->member;
	else if (q->tensors.list[id].value[0] != q->member && row->name_bytes == row->name.n)
		mismatch(q, q->member, row->name, (struct value){ 0 },
		    value_text(q->s->members[q->tensors.list[id].value[0]].name));
	return true;
}

static bool read_tensors(struct splits *q, const struct interned *group)
{
	q->n_tensors = 0;
	for (uint32_t at = group->value[GROUP_FIRST]; at != 0; at = q->next[at - 1]) {
		q->member = at - 1;
		if (!set_rows(q->s, q->member, take_tensor, q))
			return false;
		if (q->failed)
			return set_stop(q->s);
	}
	return true;
}

/* The counts can be told only when every part was seen whole. */
static bool check_tensors(struct splits *q, const struct interned *group)
{
	for (uint32_t at = group->value[GROUP_FIRST]; at != 0; at = q->next[at - 1]) {
		const struct set_member *m = &q->s->members[at - 1];

		if (m->state != SET_MEMBER_WHOLE || m->format != WLK_FORMAT_GGUF)
			return true;
	}
	if (!read_tensors(q, group))
		return false;
	for (uint32_t at = group->value[GROUP_FIRST]; at != 0; at = q->next[at - 1])
		check_fact(q, at - 1, WLK_FACT_SPLIT_TENSORS, "split.tensors.count", q->n_tensors);
	return true;
}

static bool judge_group(struct splits *q, const struct interned *group)
{
	struct shard_number number;
	bool ok;

	(void)split_name(q->s, group->value[GROUP_FIRST] - 1, &number);
	for (uint32_t at = group->value[GROUP_FIRST]; at != 0; at = q->next[at - 1])
		check_part(q, at - 1);
	check_complete(q, group, number.total);
	if (group->value[GROUP_N] != number.total)
		return true;
	ok = check_tensors(q, group);
	intern_done(&q->tensors);
	return ok;
}

bool set_judge_splits(struct set *s)
{
	struct splits q = { .s = s, .next = arena_alloc(s->in->arena, s->n, sizeof(*q.next)) };

	if (q.next == NULL)
		return set_stop(s);
	intern_init(&q.groups, s->in->arena, s->in->seed);
	intern_init(&q.tensors, s->in->arena, s->in->seed);
	if (!group_all(&q))
		return false;
	for (uint32_t i = 0; i < q.groups.n; i++)
		if (!judge_group(&q, &q.groups.list[i]))
			return false;
	return true;
}
