/* Loops of an ONNX model that are told how often to run by a constant: section 6 of formats/onnx.  For information only, so
 * names are compared without their scopes, and what does not fit the tables is forgotten. */
#include "onnx.h"

#define LOOPS_MAX 1024u
#define VALUES_MAX 16384u
#define TRIPS_MAX (1u << 20)

struct onnx_trips {
	struct {
		struct scoped_name id;
		uint64_t at;
	} loops[LOOPS_MAX];
	struct scoped_name values[VALUES_MAX];
	unsigned n_loops, n_values;
};

bool onnx_is_huge(uint64_t value)
{
	return value > TRIPS_MAX && value <= INT64_MAX;
}

static struct onnx_trips *trips_of(struct onnx *o)
{
	if (o->trips == NULL)
		o->trips = arena_alloc(o->l->arena, 1, sizeof(*o->trips));
	if (o->trips == NULL)
		onnx_stop(o);
	return o->trips;
}

void onnx_trips_value(struct onnx *o, struct scoped_name id)
{
	struct onnx_trips *t = trips_of(o);

	if (t != NULL && t->n_values < VALUES_MAX)
		t->values[t->n_values++] = id;
}

void onnx_trips_loop(struct onnx *o, struct scoped_name id, uint64_t at)
{
	struct onnx_trips *t = trips_of(o);

	if (t == NULL || t->n_loops == LOOPS_MAX)
		return;
	t->loops[t->n_loops].id = id;
	t->loops[t->n_loops++].at = at;
}

static bool is_value(const struct onnx_trips *t, struct scoped_name id)
{
	for (unsigned i = 0; i < t->n_values; i++) {
		if (onnx_id_equal(t->values[i], id))
			return true;
	}
	return false;
}

void onnx_trips_finish(struct onnx *o)
{
	const struct onnx_trips *t = o->trips;

	for (unsigned i = 0; t != NULL && i < t->n_loops; i++) {
		if (is_value(t, t->loops[i].id))
			onnx_at(o, WLK_F_ONNX_LOOP_TRIP, t->loops[i].at, bytes_of_text("Loop"));
	}
}
