/* One walk over a stream: see message_sight.h. */
#include "message_sight.h"

bool message_sight(struct layout *l, const struct stream *s, const struct pb_message *message,
    const struct pb_handler *handler, uint64_t bytes_min, uint64_t bytes_max)
{
	struct pb_walker *w;
	bool walked;

	if (s->size == STREAM_SIZE_UNKNOWN || s->size < bytes_min || s->size > bytes_max)
		return false;
	w = arena_resize_raw(l->arena, NULL, 1, sizeof(*w));
	if (w == NULL)
		return false;
	pb_begin(w, message, s->size, handler);
	walked = stream_preview(s, l->arena, (struct feeder){ pb_feed, w }, NULL) != STREAM_FAILED && pb_finish(w);
	arena_release(l->arena, w);
	return walked;
}
