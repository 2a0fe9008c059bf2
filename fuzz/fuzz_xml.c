/* Any bytes as an OpenVINO model, as PMML and as a picture through the whole engine: see engine.h.  Which of them it is the
 * content says; of what has no root the first byte chooses the name. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	static const enum wlk_format_id hints[] = { WLK_FORMAT_OPENVINO, WLK_FORMAT_PMML, WLK_FORMAT_SVG,
		WLK_FORMAT_XML };

	return engine_fuzz(data, n, hints[n > 0 ? data[0] % 4 : 0]);
}
