/* Models, what they take and give, and those that are no networks: tables of coreml_schema.h.  Field numbers are those of
 * Core ML's Model.proto and what it includes; texts for people may hold line ends. */
#include "coreml_tables.h"

/* clang-format off: a table */
MESSAGE(map_string_int64, ONE(1, TEXT), ONE(2, INT64))
MESSAGE(map_int64_string, ONE(1, INT64), ONE(2, TEXT))
MESSAGE(map_string_double, ONE(1, TEXT), ONE(2, FIXED64))
MESSAGE(map_int64_double, ONE(1, INT64), ONE(2, FIXED64))
MESSAGE(map_custom_model_value, ONE(1, STRING), MSG(2, custom_model_value))
MESSAGE(map_string_string, ONE(1, TEXT), ONE(2, TEXT))
MESSAGE(axis, ONE(1, INT64))
MESSAGE(flag, ONE(1, BOOL))
MESSAGE(floats, IN_PLACE(1, FIXED32))
MESSAGE(doubles, IN_PLACE(1, FIXED64))
MESSAGE(integers, MANY(1, INT64))
EMPTY(empty)
MESSAGE(alpha, ONE(1, FIXED32))
MESSAGE(alpha_beta, ONE(1, FIXED32), ONE(2, FIXED32))
MESSAGE(threshold, ONE(2, FIXED32))
MESSAGE(range, ONE(1, INT64), ONE(2, INT64))
MESSAGE(mode, ONE(1, ENUM))
MESSAGE(axis_flag, ONE(1, INT64), ONE(2, BOOL))
MESSAGE(axis_mode, ONE(1, INT64), ONE(2, ENUM))
MESSAGE(random_pair, ONE(1, INT64), ONE(2, FIXED32), ONE(3, FIXED32))
MESSAGE(reduce_axes, MANY(1, INT64), ONE(2, BOOL), ONE(3, BOOL))
MESSAGE(loss, ONE(1, STRING), ONE(2, STRING))
MESSAGE(image_feature_type, ONE(1, INT64), ONE(2, INT64), ONE(3, ENUM), ONE_OF_MSG(1, 21, enumerated_image_sizes),
    ONE_OF_MSG(1, 31, image_size_range))
MESSAGE(enumerated_image_sizes, MSGS(1, range))
MESSAGE(image_size_range, MSG(1, range), MSG(2, range))
MESSAGE(array_feature_type, MANY(1, INT64), ONE(2, ENUM), ONE_OF_MSG(1, 21, enumerated_shapes),
    ONE_OF_MSG(1, 31, shape_range), ONE_OF(2, 41, INT32), ONE_OF(2, 51, FIXED32), ONE_OF(2, 61, FIXED64))
MESSAGE(enumerated_shapes, MSGS(1, integers))
MESSAGE(shape_range, MSGS(1, range))
MESSAGE(dictionary_feature_type, ONE_OF_MSG(1, 1, empty), ONE_OF_MSG(1, 2, empty))
MESSAGE(sequence_feature_type, ONE_OF_MSG(1, 1, empty), ONE_OF_MSG(1, 3, empty), MSG(101, range))
MESSAGE(state_feature_type, ONE_OF_MSG(1, 1, array_feature_type))
MESSAGE(feature_type, ONE_OF_MSG(1, 1, empty), ONE_OF_MSG(1, 2, empty), ONE_OF_MSG(1, 3, empty),
    ONE_OF_MSG(1, 4, image_feature_type), ONE_OF_MSG(1, 5, array_feature_type),
    ONE_OF_MSG(1, 6, dictionary_feature_type), ONE_OF_MSG(1, 7, sequence_feature_type),
    ONE_OF_MSG(1, 8, state_feature_type), ONE(1000, BOOL))
MESSAGE(string_to_int64_map, MSGS(1, map_string_int64))
MESSAGE(int64_to_string_map, MSGS(1, map_int64_string))
MESSAGE(string_to_double_map, MSGS(1, map_string_double))
MESSAGE(int64_to_double_map, MSGS(1, map_int64_double))
MESSAGE(string_vector, MANY(1, TEXT))
MESSAGE(double_range, ONE(1, FIXED64), ONE(2, FIXED64))
MESSAGE(precision_recall_curve, MSG(1, floats), MSG(2, floats), MSG(3, floats), MSG(4, floats))
MESSAGE(int64_parameter, ONE(1, INT64), ONE_OF_MSG(1, 10, range), ONE_OF_MSG(1, 11, integers))
MESSAGE(double_parameter, ONE(1, FIXED64), ONE_OF_MSG(1, 10, double_range))
MESSAGE(string_parameter, ONE(1, TEXT))
MESSAGE(audio_feature_print, ONE_OF_MSG(1, 20, mode))
MESSAGE(bayesian_probit_regressor, ONE(1, UINT32), MSG(2, gaussian), MSGS(3, feature_weight), ONE(10, STRING),
    ONE(11, STRING), ONE(12, STRING), ONE(13, STRING), ONE(20, STRING), ONE(21, STRING), ONE(22, STRING),
    ONE(23, STRING))
MESSAGE(gaussian, ONE(1, FIXED64), ONE(2, FIXED64))
MESSAGE(feature_value_weight, ONE(1, UINT32), MSG(2, gaussian))
MESSAGE(feature_weight, ONE(1, UINT32), MSGS(2, feature_value_weight))
MESSAGE(categorical_mapping, ONE_OF_MSG(1, 1, string_to_int64_map), ONE_OF_MSG(1, 2, int64_to_string_map),
    ONE_OF(2, 101, TEXT), ONE_OF(2, 102, INT64))
MESSAGE(class_confidence_thresholding, MSGS(100, precision_recall_curve))
MESSAGE(custom_model, ONE(10, STRING), MSGS(30, map_custom_model_value), ONE(40, TEXT))
MESSAGE(custom_model_value, ONE_OF(1, 10, FIXED64), ONE_OF(1, 20, TEXT), ONE_OF(1, 30, INT32), ONE_OF(1, 40, INT64),
    ONE_OF(1, 50, BOOL), ONE_OF(1, 60, BLOB))
MESSAGE(dict_vectorizer, ONE_OF_MSG(1, 1, string_vector), ONE_OF_MSG(1, 2, integers))
MESSAGE(feature_vectorizer, MSGS(1, input_column))
MESSAGE(input_column, ONE(1, STRING), ONE(2, INT64))
MESSAGE(glm_classifier, MSGS(1, doubles), IN_PLACE(2, FIXED64), ONE(3, ENUM), ONE(4, ENUM),
    ONE_OF_MSG(1, 100, string_vector), ONE_OF_MSG(1, 101, integers))
MESSAGE(glm_regressor, MSGS(1, doubles), IN_PLACE(2, FIXED64), ONE(3, ENUM))
MESSAGE(gazetteer, ONE(1, UINT32), ONE(10, STRING), ONE(100, BLOB), ONE_OF_MSG(1, 200, string_vector))
MESSAGE(imputer, ONE_OF(1, 1, FIXED64), ONE_OF(1, 2, INT64), ONE_OF(1, 3, TEXT), ONE_OF_MSG(1, 4, doubles),
    ONE_OF_MSG(1, 5, integers), ONE_OF_MSG(1, 6, string_to_double_map), ONE_OF_MSG(1, 7, int64_to_double_map),
    ONE_OF(2, 11, FIXED64), ONE_OF(2, 12, INT64), ONE_OF(2, 13, TEXT))
MESSAGE(item_similarity_recommender, MSGS(1, similar_items), MSG(2, string_vector), MSG(3, integers), ONE(10, STRING),
    ONE(11, STRING), ONE(12, STRING), ONE(13, STRING), ONE(20, STRING), ONE(21, STRING))
MESSAGE(connected_item, ONE(1, INT64), ONE(2, FIXED64))
MESSAGE(similar_items, ONE(1, INT64), MSGS(2, connected_item), ONE(3, FIXED64))
MESSAGE(linked_model, ONE_OF_MSG(1, 1, linked_model_file))
MESSAGE(linked_model_file, MSG(1, string_parameter), MSG(2, string_parameter))
MESSAGE(nearest_neighbors_classifier, MSG(1, nearest_neighbors_index), MSG(3, int64_parameter),
    ONE_OF_MSG(1, 100, string_vector), ONE_OF_MSG(1, 101, integers), ONE_OF(2, 110, TEXT), ONE_OF(2, 111, INT64),
    ONE_OF_MSG(3, 200, empty), ONE_OF_MSG(3, 210, empty))
MESSAGE(nearest_neighbors_index, ONE(1, INT32), MSGS(2, floats), ONE_OF_MSG(1, 100, empty),
    ONE_OF_MSG(1, 110, single_kd_tree_index), ONE_OF_MSG(2, 200, empty))
MESSAGE(single_kd_tree_index, ONE(1, INT32))
MESSAGE(suppression_model, ONE_OF_MSG(1, 1, flag), ONE_OF_MSG(2, 100, string_vector), ONE_OF_MSG(2, 101, integers),
    ONE(110, FIXED64), ONE(111, FIXED64), ONE(200, STRING), ONE(201, STRING), ONE(202, STRING), ONE(203, STRING),
    ONE(210, STRING), ONE(211, STRING))
MESSAGE(one_hot_encoder, ONE_OF_MSG(1, 1, string_vector), ONE_OF_MSG(1, 2, integers), ONE(10, BOOL), ONE(11, ENUM))
MESSAGE(rbf_kernel, ONE(1, FIXED64))
MESSAGE(poly_kernel, ONE(1, INT32), ONE(2, FIXED64), ONE(3, FIXED64))
MESSAGE(sigmoid_kernel, ONE(1, FIXED64), ONE(2, FIXED64))
MESSAGE(kernel, ONE_OF_MSG(1, 1, empty), ONE_OF_MSG(1, 2, rbf_kernel), ONE_OF_MSG(1, 3, poly_kernel),
    ONE_OF_MSG(1, 4, sigmoid_kernel))
MESSAGE(sparse_node, ONE(1, INT32), ONE(2, FIXED64))
MESSAGE(sparse_vector, MSGS(1, sparse_node))
MESSAGE(sparse_support_vectors, MSGS(1, sparse_vector))
MESSAGE(dense_support_vectors, MSGS(1, doubles))
MESSAGE(support_vector_regressor, MSG(1, kernel), ONE_OF_MSG(1, 2, sparse_support_vectors),
    ONE_OF_MSG(1, 3, dense_support_vectors), MSG(4, doubles), ONE(5, FIXED64))
MESSAGE(support_vector_classifier, MSG(1, kernel), MANY(2, INT32), ONE_OF_MSG(1, 3, sparse_support_vectors),
    ONE_OF_MSG(1, 4, dense_support_vectors), MSGS(5, doubles), IN_PLACE(6, FIXED64), IN_PLACE(7, FIXED64),
    IN_PLACE(8, FIXED64), ONE_OF_MSG(2, 100, string_vector), ONE_OF_MSG(2, 101, integers))
MESSAGE(scaler, IN_PLACE(1, FIXED64), IN_PLACE(2, FIXED64))
MESSAGE(sound_analysis_preprocessing, ONE_OF_MSG(1, 20, empty))
MESSAGE(text_classifier, ONE(1, UINT32), ONE(10, STRING), ONE(100, BLOB), ONE_OF_MSG(1, 200, string_vector))
MESSAGE(tree_ensemble_parameters, MSGS(1, tree_node), ONE(2, INT64), IN_PLACE(3, FIXED64))
MESSAGE(tree_node, ONE(1, INT64), ONE(2, INT64), ONE(3, ENUM), ONE(10, INT64), ONE(11, FIXED64), ONE(12, INT64),
    ONE(13, INT64), ONE(14, BOOL), MSGS(20, evaluation_info), ONE(30, FIXED64))
MESSAGE(evaluation_info, ONE(1, INT64), ONE(2, FIXED64))
MESSAGE(tree_ensemble_classifier, MSG(1, tree_ensemble_parameters), ONE(2, ENUM), ONE_OF_MSG(1, 100, string_vector),
    ONE_OF_MSG(1, 101, integers))
MESSAGE(tree_ensemble_regressor, MSG(1, tree_ensemble_parameters), ONE(2, ENUM))
MESSAGE(vision_feature_print, ONE_OF_MSG(1, 20, mode), ONE_OF_MSG(1, 21, objects))
MESSAGE(objects, ONE(1, ENUM), MANY(100, STRING))
MESSAGE(word_embedding, ONE(1, UINT32), ONE(10, STRING), ONE(100, BLOB))
MESSAGE(word_tagger, ONE(1, UINT32), ONE(10, STRING), ONE(20, STRING), ONE(21, STRING), ONE(22, STRING),
    ONE(23, STRING), ONE(100, BLOB), ONE_OF_MSG(1, 200, string_vector))
MESSAGE(pipeline, MSGS(1, model), MANY(2, STRING))
MESSAGE(pipeline_classifier, MSG(1, pipeline))
MESSAGE(pipeline_regressor, MSG(1, pipeline))
MESSAGE(feature_description, ONE(1, STRING), ONE(2, TEXT), MSG(3, feature_type))
MESSAGE(metadata, ONE(1, TEXT), ONE(2, STRING), ONE(3, TEXT), ONE(4, TEXT), MSGS(100, map_string_string))
MESSAGE(function_description, ONE(1, STRING), MSGS(2, feature_description), MSGS(3, feature_description),
    ONE(4, STRING), ONE(5, STRING), MSGS(6, feature_description))
MESSAGE(model_description, MSGS(1, feature_description), MSGS(10, feature_description), ONE(11, STRING),
    ONE(12, STRING), MSGS(13, feature_description), MSGS(20, function_description), ONE(21, STRING),
    MSGS(50, feature_description), MSG(100, metadata))
MESSAGE(serialized_model, ONE(1, STRING), ONE(2, BLOB))
MESSAGE(model, ONE(1, INT32), MSG(2, model_description), ONE(10, BOOL), KIND(200, pipeline_classifier),
    KIND(201, pipeline_regressor), KIND(202, pipeline), KIND(300, glm_regressor), KIND(301, support_vector_regressor),
    KIND(302, tree_ensemble_regressor), KIND(303, neural_network_regressor), KIND(304, bayesian_probit_regressor),
    KIND(400, glm_classifier), KIND(401, support_vector_classifier), KIND(402, tree_ensemble_classifier),
    KIND(403, neural_network_classifier), KIND(404, nearest_neighbors_classifier), KIND(500, neural_network),
    KIND(501, item_similarity_recommender), KIND(502, program), KIND(555, custom_model), KIND(556, linked_model),
    KIND(560, class_confidence_thresholding), KIND(600, one_hot_encoder), KIND(601, imputer),
    KIND(602, feature_vectorizer), KIND(603, dict_vectorizer), KIND(604, scaler), KIND(606, categorical_mapping),
    KIND(607, mode), KIND(609, integers), KIND(610, suppression_model), KIND(900, empty), KIND(2000, text_classifier),
    KIND(2001, word_tagger), KIND(2002, vision_feature_print), KIND(2003, sound_analysis_preprocessing),
    KIND(2004, gazetteer), KIND(2005, word_embedding), KIND(2006, audio_feature_print), KIND(3000, serialized_model))
/* clang-format on */
