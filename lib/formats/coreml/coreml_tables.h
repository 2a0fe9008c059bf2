/* How the tables of coreml_schema*.c are written. */
#pragma once

#include "coreml_schema.h"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define MANY(no, kind) FIELD(no, kind, .repeated = true)
#define IN_PLACE(no, kind) FIELD(no, kind, .repeated = true, .in_place = true)
#define ONE_OF(group, no, kind) FIELD(no, kind, .oneof = (group))
#define MSG(no, name) FIELD(no, MESSAGE, .message = &coreml_##name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &coreml_##name)
#define ONE_OF_MSG(group, no, name) FIELD(no, MESSAGE, .oneof = (group), .message = &coreml_##name)
#define KIND(no, name) ONE_OF_MSG(1, no, name) /* of a model, of a layer */
#define MESSAGE(name, ...)                                              \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	const struct pb_message coreml_##name = { #name, name##_fields, \
		sizeof(name##_fields) / sizeof(name##_fields[0]), NULL };
#define EMPTY(name) const struct pb_message coreml_##name = { #name, NULL, 0, NULL };
