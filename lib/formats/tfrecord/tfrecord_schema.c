/* The messages of records.  Field numbers are those of TensorFlow's event.proto, summary.proto, example.proto and feature.proto. */
#include "tf_schema.h"
#include "tfrecord.h"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define EITHER(no, kind) FIELD(no, kind, .oneof = 1)
#define IN_PLACE(no, kind) FIELD(no, kind, .repeated = true, .in_place = true)
#define MSG(no, name) FIELD(no, MESSAGE, .message = &name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &name)
#define EITHER_MSG(no, name) FIELD(no, MESSAGE, .oneof = 1, .message = &name)
#define MESSAGE_(linkage, symbol, text, ...)                              \
	static const struct pb_field symbol##_fields[] = { __VA_ARGS__ }; \
	linkage const struct pb_message symbol = { text, symbol##_fields, \
		sizeof(symbol##_fields) / sizeof(symbol##_fields[0]), NULL };
#define MESSAGE(name, ...) MESSAGE_(static, name, #name, __VA_ARGS__)

/* clang-format off: a table */
MESSAGE(source_metadata, ONE(1, TEXT))
MESSAGE(log_message, ONE(1, ENUM), ONE(2, TEXT))
MESSAGE(session_log, ONE(1, ENUM), ONE(2, TEXT), ONE(3, TEXT))
MESSAGE(tagged_run_metadata, ONE(1, TEXT), ONE(2, BLOB))
MESSAGE(plugin_data, ONE(1, TEXT), ONE(2, BLOB))
MESSAGE(summary_metadata, MSG(1, plugin_data), ONE(2, TEXT), ONE(3, TEXT), ONE(4, ENUM))
MESSAGE(image, ONE(1, INT32), ONE(2, INT32), ONE(3, INT32), ONE(4, BLOB))
MESSAGE(audio, ONE(1, FIXED32), ONE(2, INT64), ONE(3, INT64), ONE(4, BLOB), ONE(5, TEXT))
MESSAGE(histogram, ONE(1, FIXED64), ONE(2, FIXED64), ONE(3, FIXED64), ONE(4, FIXED64), ONE(5, FIXED64),
    IN_PLACE(6, FIXED64), IN_PLACE(7, FIXED64))
MESSAGE(value, ONE(1, TEXT), EITHER(2, FIXED32), EITHER(3, BLOB), EITHER_MSG(4, image), EITHER_MSG(5, histogram),
    EITHER_MSG(6, audio), ONE(7, TEXT), EITHER_MSG(8, tf_tensor), MSG(9, summary_metadata))
MESSAGE(summary, MSGS(1, value))
MESSAGE_(, tfrecord_event, "event", ONE(1, FIXED64), ONE(2, INT64), EITHER(3, TEXT), EITHER(4, BLOB),
    EITHER_MSG(5, summary), EITHER_MSG(6, log_message), EITHER_MSG(7, session_log), EITHER_MSG(8, tagged_run_metadata),
    EITHER(9, BLOB), MSG(10, source_metadata))

MESSAGE(bytes_list, FIELD(1, BLOB, .repeated = true))
MESSAGE(float_list, IN_PLACE(1, FIXED32))
MESSAGE(int64_list, FIELD(1, INT64, .repeated = true))
MESSAGE(feature, EITHER_MSG(1, bytes_list), EITHER_MSG(2, float_list), EITHER_MSG(3, int64_list))
MESSAGE(features_entry, ONE(1, TEXT), MSG(2, feature))
MESSAGE(features, MSGS(1, features_entry))
MESSAGE(feature_list, MSGS(1, feature))
MESSAGE(feature_lists_entry, ONE(1, TEXT), MSG(2, feature_list))
MESSAGE(feature_lists, MSGS(1, feature_lists_entry))
/* Example, and SequenceExample, whose context has the number of Example's features. */
MESSAGE_(, tfrecord_example, "example", MSG(1, features), MSG(2, feature_lists))
/* clang-format on */
