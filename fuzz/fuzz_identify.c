/* What a file is, by its name and by its content, through the whole engine: the first byte says which family the name
 * suggests, the rest is the file.  See engine.h. */
#include "engine.h"
#include "formats.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	enum wlk_format_id hint = n > 0 ? (enum wlk_format_id)(data[0] % WLK_N_FORMATS) : WLK_FORMAT_UNKNOWN;

	/* A set is no file: only a job says so. */
	return engine_fuzz(data + (n > 0), n - (n > 0), hint == WLK_FORMAT_SET ? WLK_FORMAT_UNKNOWN : hint);
}
