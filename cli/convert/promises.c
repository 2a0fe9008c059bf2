/* See promises.h.  Both lists are in the order of the output; neither is ever held as a whole. */
#include "promises.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "escape.h"

#define NAME_SHOWN_MAX ((size_t)24 << 10) /* of MANIFEST_NAME_MAX bytes, escaped */
#define TOLD_MAX ((size_t)64 << 20)       /* of names that the report lists: 200,000 aliases of usual length */
#define TOLD_COST 128u                    /* of each, beside its text: what a tree of JSON takes */

const char *convert_reason_text(uint64_t why)
{
	static const char *const texts[CONVERT_N_REASONS] = {
#define X(id, text) text,
		CONVERT_REASONS(X)
#undef X
	};

	return why < CONVERT_N_REASONS ? texts[why] : "for a reason that nobody knows";
}

struct comparison {
	struct promises *p;
	struct tensor_rows_reader *made, *found;
	size_t told; /* bytes of what is listed */
	char shown[NAME_SHOWN_MAX], shown_file[NAME_SHOWN_MAX];
};

/* The worker that wrote the lists may have been taken over, and they are kept in this process. */
static bool may_tell(struct comparison *c, const char *name, const char *more)
{
	c->told += TOLD_COST + strlen(name) + strlen(more);
	if (c->told > TOLD_MAX)
		c->p->broken = "more names would have to be listed than a report can hold";
	return c->told <= TOLD_MAX;
}

static int list(json_t *to, json_t *item)
{
	return json_array_append_new(to, item) < 0 ? -ENOMEM : 0;
}

static int take_mapping(struct comparison *c, const struct manifest_row *row)
{
	const char *name = text_escape(row->name, c->shown, sizeof(c->shown));
	const char *file = text_escape(row->file, c->shown_file, sizeof(c->shown_file));

	if (!may_tell(c, name, file))
		return 0;
	if (row->file.n > 0)
		return json_object_set_new(c->p->aliases, name, json_string(file)) < 0 ? -ENOMEM : 0;
	return list(c->p->left, json_pack("{s:s, s:s}", "name", name, "why", convert_reason_text(row->begin)));
}

static int take_unchecked(struct comparison *c, const struct manifest_row *row)
{
	const char *name = text_escape(row->name, c->shown, sizeof(c->shown));

	return may_tell(c, name, "") ? list(c->p->unchecked, json_string(name)) : 0;
}

static bool is_same(const struct manifest_row *a, const struct manifest_row *b)
{
	return a->name_bytes == b->name_bytes && bytes_equal(a->name, b->name) && bytes_equal(a->dtype, b->dtype) &&
	       a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0])) == 0;
}

static int take_tensor(struct comparison *c, const struct tensor_rows_item *made)
{
	struct tensor_rows_item found;
	int r = tensor_rows_next(c->found, &found);

	if (r < 0)
		return r;
	c->p->tensors++;
	if (r == 0)
		c->p->broken = "tensors are missing in the output";
	else if (!is_same(&made->row, &found.row))
		c->p->broken = "the output has another tensor than was promised";
	else if (!found.has_sha256 || (made->has_sha256 && memcmp(made->sha256, found.sha256, 32) != 0))
		c->p->broken = "a tensor of the output has other bytes than were promised";
	else if (!made->has_sha256 && found.row.begin < found.row.end)
		return take_unchecked(c, &made->row);
	return 0;
}

static int compare(struct comparison *c)
{
	struct tensor_rows_item item;
	int r = 0;

	while (r == 0 && c->p->broken == NULL && (r = tensor_rows_next(c->made, &item)) > 0)
		r = item.row.kind == MANIFEST_TENSOR ? take_tensor(c, &item) : take_mapping(c, &item.row);
	if (r < 0 || c->p->broken != NULL)
		return r;
	r = tensor_rows_next(c->found, &item);
	if (r > 0)
		c->p->broken = "the output has tensors that nobody promised";
	return r < 0 ? r : 0;
}

int promises_compare(const struct tensor_rows *made, const struct tensor_rows *found, struct promises *ret)
{
	struct comparison *c = calloc(1, sizeof(*c));
	int r = -ENOMEM;

	*ret = (struct promises){ .aliases = json_object(), .left = json_array(), .unchecked = json_array() };
	if (c == NULL)
		return -ENOMEM;
	c->p = ret;
	c->made = tensor_rows_reader_new(made);
	c->found = tensor_rows_reader_new(found);
	if (c->made != NULL && c->found != NULL && ret->aliases != NULL && ret->left != NULL && ret->unchecked != NULL)
		r = compare(c);
	tensor_rows_reader_free(c->made);
	tensor_rows_reader_free(c->found);
	free(c);
	return r;
}

void promises_done(struct promises *p)
{
	json_decref(p->aliases);
	json_decref(p->left);
	json_decref(p->unchecked);
	*p = (struct promises){ 0 };
}
