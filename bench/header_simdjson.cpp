/* The fastest peer for a header: looks at every key and value, finds no duplicate, hole, overlap or wrong product. */
#include "header_simdjson.h"

#include <simdjson.h>

using namespace simdjson;

static uint64_t walk_tensor(ondemand::object tensor)
{
	uint64_t sum = 0;

	for (auto field : tensor) {
		std::string_view key = field.unescaped_key();

		if (key == "dtype") {
			sum += std::string_view(field.value().get_string()).size();
			continue;
		}
		for (auto number : field.value().get_array())
			sum += uint64_t(number.get_uint64());
	}
	return sum;
}

int64_t header_simdjson(const char *at, size_t n)
{
	static volatile uint64_t sink;
	int64_t tensors = 0;

	if (!__builtin_cpu_supports("avx2"))
		return -1;
	try {
		ondemand::parser parser;
		auto document = parser.iterate(at, n, n + HEADER_PADDING);

		for (auto entry : document.get_object()) {
			sink = sink + std::string_view(entry.unescaped_key()).size();
			sink = sink + walk_tensor(entry.value().get_object());
			tensors++;
		}
	} catch (const simdjson_error &) {
		return -1;
	}
	return tensors;
}
