/* ML programs: tables of coreml_schema.h.  Field numbers are those of Core ML's MIL.proto. */
#include "coreml_tables.h"

/* clang-format off: a table */
MESSAGE(map_function, ONE(1, STRING), MSG(2, function))
MESSAGE(map_value, ONE(1, STRING), MSG(2, value))
MESSAGE(map_block, ONE(1, STRING), MSG(2, block))
MESSAGE(map_argument, ONE(1, STRING), MSG(2, argument))
MESSAGE(program, ONE(1, INT64), MSGS(2, map_function), ONE(3, TEXT), MSGS(4, map_value))
MESSAGE(function, MSGS(1, named_value_type), ONE(2, STRING), MSGS(3, map_block), MSGS(4, map_value))
MESSAGE(block, MSGS(1, named_value_type), MANY(2, STRING), MSGS(3, operation), MSGS(4, map_value))
MESSAGE(argument, MSGS(1, binding))
MESSAGE(binding, ONE_OF(1, 1, STRING), ONE_OF_MSG(1, 2, value))
MESSAGE(operation, ONE(1, STRING), MSGS(2, map_argument), MSGS(3, named_value_type), MSGS(4, block), MSGS(5, map_value))
MESSAGE(named_value_type, ONE(1, STRING), MSG(2, value_type))
MESSAGE(value_type, ONE_OF_MSG(1, 1, tensor_type), ONE_OF_MSG(1, 2, list_type), ONE_OF_MSG(1, 3, tuple_type),
    ONE_OF_MSG(1, 4, dictionary_type), ONE_OF_MSG(1, 5, state_type))
MESSAGE(tensor_type, ONE(1, ENUM), ONE(2, INT64), MSGS(3, dimension), MSGS(4, map_value))
MESSAGE(tuple_type, MSGS(1, value_type))
MESSAGE(list_type, MSG(1, value_type), MSG(2, dimension))
MESSAGE(dictionary_type, MSG(1, value_type), MSG(2, value_type))
MESSAGE(state_type, MSG(1, value_type))
MESSAGE(dimension, ONE_OF_MSG(1, 1, axis), ONE_OF_MSG(1, 2, flag))
MESSAGE(value, ONE(1, TEXT), MSG(2, value_type), ONE_OF_MSG(1, 3, immediate_value), ONE_OF_MSG(1, 5, blob_file_value))
MESSAGE(immediate_value, ONE_OF_MSG(1, 1, tensor_value), ONE_OF_MSG(1, 2, tuple_value), ONE_OF_MSG(1, 3, list_value),
    ONE_OF_MSG(1, 4, dictionary_value))
MESSAGE(blob_file_value, ONE(1, STRING), ONE(2, INT64))
MESSAGE(tensor_value, ONE_OF_MSG(1, 1, floats), ONE_OF_MSG(1, 2, repeated_ints), ONE_OF_MSG(1, 3, repeated_bools),
    ONE_OF_MSG(1, 4, repeated_strings), ONE_OF_MSG(1, 5, integers), ONE_OF_MSG(1, 6, doubles),
    ONE_OF_MSG(1, 7, repeated_bytes))
MESSAGE(repeated_ints, MANY(1, INT32))
MESSAGE(repeated_bools, MANY(1, BOOL))
MESSAGE(repeated_strings, MANY(1, TEXT))
MESSAGE(repeated_bytes, ONE(1, BLOB))
MESSAGE(tuple_value, MSGS(1, value))
MESSAGE(list_value, MSGS(1, value))
MESSAGE(dictionary_value, MSGS(1, key_value_pair))
MESSAGE(key_value_pair, MSG(1, value), MSG(2, value))
/* clang-format on */
