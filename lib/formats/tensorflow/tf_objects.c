/* Rule 12: the object graph of a SavedModel, whose objects refer to each other, and to assets, by number. */
#include "tf_graph.h"

static void note(uint64_t value, uint64_t at, uint64_t *past, uint64_t *past_at)
{
	if (value < *past)
		return;
	*past = value < UINT64_MAX ? value + 1 : value;
	*past_at = at;
}

void tf_object_number(struct tf *t, const struct pb_message *message, uint32_t field, uint64_t value, uint64_t at)
{
	if (message == &tf_object_asset)
		note(value, at, &t->past_asset, &t->asset_at);
	else if ((message == &tf_child && field == 1) || message == &tf_slot)
		note(value, at, &t->past_object, &t->object_at);
}

void tf_objects_finish(struct tf *t)
{
	if (t->past_object > t->n_objects)
		tf_value(t, WLK_F_TF_OBJECT_ID, t->object_at, (struct bytes){ 0 }, t->past_object - 1, t->n_objects);
	if (t->past_asset > t->n_assets)
		tf_value(t, WLK_F_TF_OBJECT_ID, t->asset_at, bytes_of_text("asset"), t->past_asset - 1, t->n_assets);
	t->n_objects = t->n_assets = t->past_object = t->past_asset = 0;
}
