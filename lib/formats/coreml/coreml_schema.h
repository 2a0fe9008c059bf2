/* The messages of Core ML models, as tables for the protobuf walker: specification version 10. */
#pragma once

#include "protobuf.h"

/* clang-format off */
#define COREML_MESSAGES(X) \
	X(activation) X(activation_parametric_softplus) X(activation_prelu) X(adam_optimizer) X(alpha) X(alpha_beta) \
	X(argument) X(array_feature_type) X(audio_feature_print) X(axis) X(axis_flag) X(axis_mode) X(batched_matmul) \
	X(batchnorm) X(bayesian_probit_regressor) X(bias) X(binding) X(blob_file_value) X(block) X(border_amounts) \
	X(branch) X(categorical_distribution) X(categorical_mapping) X(class_confidence_thresholding) X(concat) \
	X(connected_item) X(constant_padding) X(convolution) X(convolution_3d) X(crop) X(crop_resize) X(cum_sum) \
	X(custom) X(custom_layer_value) X(custom_model) X(custom_model_value) X(dense_support_vectors) \
	X(dict_vectorizer) X(dictionary_feature_type) X(dictionary_type) X(dictionary_value) X(dimension) \
	X(double_parameter) X(double_range) X(doubles) X(embedding) X(embedding_nd) X(empty) \
	X(enumerated_image_sizes) X(enumerated_shapes) X(evaluation_info) X(feature_description) X(feature_type) \
	X(feature_value_weight) X(feature_vectorizer) X(feature_weight) X(fill_static) X(flag) X(floats) X(function) \
	X(function_description) X(gaussian) X(gazetteer) X(glm_classifier) X(glm_regressor) X(gru) \
	X(image_feature_type) X(image_scaler) X(image_size_range) X(immediate_value) X(imputer) X(inner_product) \
	X(input_column) X(int64_parameter) X(int64_to_double_map) X(int64_to_string_map) X(integers) \
	X(item_similarity_recommender) X(kernel) X(key_value_pair) X(layer) X(layer_normalization) \
	X(linear_quantization) X(linked_model) X(linked_model_file) X(list_type) X(list_value) X(load_constant) \
	X(load_constant_nd) X(loop) X(loss) X(loss_layer) X(lrn) X(lstm) X(lstm_weights) X(map_argument) \
	X(map_block) X(map_custom_layer_value) X(map_custom_model_value) X(map_function) X(map_int64_double) \
	X(map_int64_string) X(map_string_double) X(map_string_int64) X(map_string_string) X(map_value) \
	X(mean_variance_normalize) X(metadata) X(mode) X(model) X(model_description) X(named_value_type) \
	X(nearest_neighbors_classifier) X(nearest_neighbors_index) X(neural_network) X(neural_network_classifier) \
	X(neural_network_regressor) X(non_maximum_suppression) X(objects) X(one_hot) X(one_hot_encoder) \
	X(one_way_lstm) X(operation) X(optimizer) X(padding) X(pipeline) X(pipeline_classifier) \
	X(pipeline_regressor) X(poly_kernel) X(pooling) X(pooling_3d) X(precision_recall_curve) X(preprocessing) \
	X(program) X(quantization) X(random_bernoulli_dynamic) X(random_bernoulli_like) X(random_bernoulli_static) \
	X(random_normal_static) X(random_pair) X(random_uniform_static) X(range) X(range_dynamic) X(range_static) \
	X(rbf_kernel) X(reduce) X(reduce_axes) X(reorganize_data) X(repeated_bools) X(repeated_bytes) \
	X(repeated_ints) X(repeated_strings) X(reshape) X(resize_bilinear) X(reverse) X(scale) X(scaler) \
	X(sequence_feature_type) X(serialized_model) X(sgd_optimizer) X(shape_range) X(sigmoid_kernel) \
	X(similar_items) X(simple_recurrent) X(single_kd_tree_index) X(slice) X(slice_by_size) X(slice_dynamic) \
	X(slice_static) X(sliding_windows) X(sound_analysis_preprocessing) X(sparse_node) X(sparse_support_vectors) \
	X(sparse_vector) X(split_nd) X(squeeze) X(state_feature_type) X(state_type) X(string_parameter) \
	X(string_to_double_map) X(string_to_int64_map) X(string_vector) X(support_vector_classifier) \
	X(support_vector_regressor) X(suppression_model) X(tensor) X(tensor_type) X(tensor_value) X(text_classifier) \
	X(threshold) X(top_k) X(tree_ensemble_classifier) X(tree_ensemble_parameters) X(tree_ensemble_regressor) \
	X(tree_node) X(tuple_type) X(tuple_value) X(two_way_lstm) X(unary_function) X(update_parameters) X(upsample) \
	X(valid_complete_padding) X(valid_padding) X(value) X(value_type) X(vision_feature_print) X(weights) \
	X(word_embedding) X(word_tagger)
/* clang-format on */

#define X(name) extern const struct pb_message coreml_##name;
COREML_MESSAGES(X)
#undef X

/* MIL's DataType of what is written as bytes. */
enum coreml_type {
	COREML_FLOAT16 = 10,
	COREML_BFLOAT16 = 13,
	COREML_FLOAT8_E4M3 = 40,
	COREML_FLOAT8_E5M2 = 41,
};
