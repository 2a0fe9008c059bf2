/* Neural networks: tables of coreml_schema.h.  Field numbers are those of Core ML's NeuralNetwork.proto.  Layers whose
 * parameters look alike on the wire share a table. */
#include "coreml_tables.h"

/* clang-format off: a table */
MESSAGE(map_custom_layer_value, ONE(1, STRING), MSG(2, custom_layer_value))
MESSAGE(neural_network, MSGS(1, layer), MSGS(2, preprocessing), ONE(5, ENUM), ONE(6, ENUM), MSG(10, update_parameters))
MESSAGE(image_scaler, ONE(10, FIXED32), ONE(20, FIXED32), ONE(21, FIXED32), ONE(22, FIXED32), ONE(30, FIXED32))
MESSAGE(preprocessing, ONE(1, STRING), ONE_OF_MSG(1, 10, image_scaler), ONE_OF_MSG(1, 11, floats))
MESSAGE(activation_prelu, MSG(1, weights))
MESSAGE(activation_parametric_softplus, MSG(1, weights), MSG(2, weights))
MESSAGE(activation, ONE_OF_MSG(1, 5, alpha_beta), ONE_OF_MSG(1, 10, empty), ONE_OF_MSG(1, 15, alpha),
    ONE_OF_MSG(1, 20, alpha), ONE_OF_MSG(1, 25, activation_prelu), ONE_OF_MSG(1, 30, empty),
    ONE_OF_MSG(1, 31, alpha_beta), ONE_OF_MSG(1, 40, empty), ONE_OF_MSG(1, 41, alpha_beta), ONE_OF_MSG(1, 50, alpha),
    ONE_OF_MSG(1, 60, empty), ONE_OF_MSG(1, 70, empty), ONE_OF_MSG(1, 71, activation_parametric_softplus))
MESSAGE(tensor, ONE(1, UINT32), MANY(2, INT64))
MESSAGE(layer, ONE(1, STRING), MANY(2, STRING), MANY(3, STRING), MSGS(4, tensor), MSGS(5, tensor), ONE(10, BOOL),
    KIND(100, convolution), KIND(120, pooling), KIND(130, activation), KIND(140, inner_product), KIND(150, embedding),
    KIND(160, batchnorm), KIND(165, mean_variance_normalize), KIND(170, alpha), KIND(175, empty), KIND(180, lrn),
    KIND(190, crop), KIND(200, padding), KIND(210, upsample), KIND(211, resize_bilinear), KIND(212, crop_resize),
    KIND(220, unary_function), KIND(230, alpha), KIND(231, alpha), KIND(240, empty), KIND(245, scale), KIND(250, bias),
    KIND(260, empty), KIND(261, empty), KIND(270, flag), KIND(280, reduce), KIND(290, load_constant),
    KIND(300, reshape), KIND(301, mode), KIND(310, integers), KIND(320, concat), KIND(330, axis), KIND(340, axis),
    KIND(345, reorganize_data), KIND(350, slice), KIND(400, simple_recurrent), KIND(410, gru), KIND(420, one_way_lstm),
    KIND(430, two_way_lstm), KIND(500, custom), KIND(600, empty), KIND(605, branch), KIND(615, loop), KIND(620, empty),
    KIND(625, empty), KIND(635, range_static), KIND(640, range_dynamic), KIND(660, alpha_beta), KIND(665, empty),
    KIND(670, empty), KIND(680, empty), KIND(685, empty), KIND(700, empty), KIND(710, empty), KIND(715, empty),
    KIND(720, empty), KIND(730, empty), KIND(735, empty), KIND(740, empty), KIND(750, empty), KIND(755, empty),
    KIND(760, empty), KIND(770, empty), KIND(775, empty), KIND(780, empty), KIND(790, empty), KIND(795, mode),
    KIND(815, alpha), KIND(820, alpha), KIND(825, threshold), KIND(827, threshold), KIND(830, threshold),
    KIND(832, threshold), KIND(840, empty), KIND(845, empty), KIND(850, empty), KIND(855, empty), KIND(865, empty),
    KIND(870, empty), KIND(875, empty), KIND(880, empty), KIND(885, empty), KIND(890, empty), KIND(895, empty),
    KIND(900, empty), KIND(905, empty), KIND(920, integers), KIND(925, axis), KIND(930, axis), KIND(935, axis_mode),
    KIND(940, empty), KIND(945, mode), KIND(950, axis), KIND(952, axis), KIND(954, axis_mode), KIND(960, reverse),
    KIND(965, range), KIND(975, split_nd), KIND(980, axis_flag), KIND(985, integers), KIND(995, slice_static),
    KIND(1000, slice_dynamic), KIND(1005, sliding_windows), KIND(1015, top_k), KIND(1020, axis_flag),
    KIND(1025, axis_flag), KIND(1040, embedding_nd), KIND(1045, batched_matmul), KIND(1065, empty),
    KIND(1070, load_constant_nd), KIND(1080, alpha), KIND(1085, fill_static), KIND(1090, alpha), KIND(1100, empty),
    KIND(1105, integers), KIND(1110, empty), KIND(1120, squeeze), KIND(1125, integers), KIND(1130, axis),
    KIND(1135, empty), KIND(1140, integers), KIND(1145, empty), KIND(1150, integers), KIND(1155, constant_padding),
    KIND(1170, random_pair), KIND(1175, random_normal_static), KIND(1180, random_pair), KIND(1190, random_pair),
    KIND(1195, random_uniform_static), KIND(1200, random_pair), KIND(1210, random_bernoulli_like),
    KIND(1215, random_bernoulli_static), KIND(1220, random_bernoulli_dynamic), KIND(1230, categorical_distribution),
    KIND(1250, reduce_axes), KIND(1255, reduce_axes), KIND(1260, reduce_axes), KIND(1265, reduce_axes),
    KIND(1270, reduce_axes), KIND(1275, reduce_axes), KIND(1280, reduce_axes), KIND(1285, reduce_axes),
    KIND(1290, reduce_axes), KIND(1295, reduce_axes), KIND(1313, empty), KIND(1315, range), KIND(1320, axis),
    KIND(1325, axis), KIND(1330, empty), KIND(1350, layer_normalization), KIND(1400, non_maximum_suppression),
    KIND(1450, one_hot), KIND(1455, cum_sum), KIND(1460, alpha_beta), KIND(1461, axis_flag), KIND(1465, pooling_3d),
    KIND(1466, mode), KIND(1470, slice_by_size), KIND(1471, convolution_3d))
MESSAGE(branch, MSG(1, neural_network), MSG(2, neural_network))
MESSAGE(loop, ONE(1, INT64), ONE(2, STRING), MSG(3, neural_network), MSG(4, neural_network))
MESSAGE(border_amounts, MSGS(10, range))
MESSAGE(valid_padding, MSG(1, border_amounts))
MESSAGE(weights, IN_PLACE(1, FIXED32), ONE(2, BLOB), ONE(30, BLOB), ONE(31, BLOB), MSG(40, quantization), ONE(50, BOOL))
MESSAGE(quantization, ONE(1, INT64), ONE_OF_MSG(1, 101, linear_quantization), ONE_OF_MSG(1, 102, floats))
MESSAGE(linear_quantization, IN_PLACE(1, FIXED32), IN_PLACE(2, FIXED32))
MESSAGE(convolution, ONE(1, INT64), ONE(2, INT64), ONE(10, INT64), MANY(20, INT64), MANY(30, INT64), MANY(40, INT64),
    ONE_OF_MSG(1, 50, valid_padding), ONE_OF_MSG(1, 51, mode), ONE(60, BOOL), ONE(70, BOOL), MSG(90, weights),
    MSG(91, weights), MANY(100, INT64))
MESSAGE(convolution_3d, ONE(1, INT32), ONE(2, INT32), ONE(10, INT32), ONE(20, INT32), ONE(21, INT32), ONE(22, INT32),
    ONE(31, INT32), ONE(32, INT32), ONE(33, INT32), ONE(40, INT32), ONE(41, INT32), ONE(42, INT32), ONE(50, BOOL),
    MSG(60, weights), MSG(61, weights), ONE(70, ENUM), ONE(80, INT32), ONE(81, INT32), ONE(82, INT32), ONE(83, INT32),
    ONE(84, INT32), ONE(85, INT32), ONE(86, BOOL), MANY(87, INT64))
MESSAGE(inner_product, ONE(1, INT64), ONE(2, INT64), ONE(10, BOOL), MSG(20, weights), MSG(21, weights), ONE(22, BOOL))
MESSAGE(embedding, ONE(1, INT64), ONE(2, INT64), ONE(10, BOOL), MSG(20, weights), MSG(21, weights))
MESSAGE(embedding_nd, ONE(1, INT64), ONE(2, INT64), ONE(3, BOOL), MSG(20, weights), MSG(21, weights))
MESSAGE(batchnorm, ONE(1, INT64), ONE(5, BOOL), ONE(6, BOOL), ONE(10, FIXED32), MSG(15, weights), MSG(16, weights),
    MSG(17, weights), MSG(18, weights))
MESSAGE(pooling, ONE(1, ENUM), MANY(10, INT64), MANY(20, INT64), ONE_OF_MSG(1, 30, valid_padding),
    ONE_OF_MSG(1, 31, mode), ONE_OF_MSG(1, 32, valid_complete_padding), ONE(50, BOOL), ONE(60, BOOL))
MESSAGE(valid_complete_padding, MANY(10, INT64))
MESSAGE(pooling_3d, ONE(1, ENUM), ONE(2, INT32), ONE(3, INT32), ONE(4, INT32), ONE(5, INT32), ONE(6, INT32),
    ONE(7, INT32), ONE(8, INT32), ONE(9, INT32), ONE(10, INT32), ONE(11, INT32), ONE(12, INT32), ONE(13, INT32),
    ONE(14, BOOL), ONE(15, ENUM))
MESSAGE(padding, ONE_OF_MSG(1, 1, alpha), ONE_OF_MSG(1, 2, empty), ONE_OF_MSG(1, 3, empty), MSG(10, border_amounts))
MESSAGE(concat, ONE(100, BOOL))
MESSAGE(lrn, ONE(1, FIXED32), ONE(2, FIXED32), ONE(3, INT64), ONE(4, FIXED32))
MESSAGE(unary_function, ONE(1, ENUM), ONE(2, FIXED32), ONE(3, FIXED32), ONE(4, FIXED32), ONE(5, FIXED32))
MESSAGE(upsample, MANY(1, INT64), ONE(5, ENUM), ONE(6, ENUM), IN_PLACE(7, FIXED32))
MESSAGE(resize_bilinear, MANY(1, INT64), MSG(2, mode))
MESSAGE(crop_resize, MANY(1, INT64), ONE(2, BOOL), MSG(3, mode), MSG(4, mode), ONE(5, FIXED32))
MESSAGE(bias, MANY(1, INT64), MSG(2, weights))
MESSAGE(scale, MANY(1, INT64), MSG(2, weights), ONE(3, BOOL), MANY(4, INT64), MSG(5, weights))
MESSAGE(load_constant, MANY(1, INT64), MSG(2, weights))
MESSAGE(reshape, MANY(1, INT64), ONE(2, ENUM))
MESSAGE(reorganize_data, ONE(1, ENUM), ONE(2, INT64))
MESSAGE(slice, ONE(1, INT64), ONE(2, INT64), ONE(3, INT64), ONE(4, ENUM))
MESSAGE(reduce, ONE(1, ENUM), ONE(2, FIXED32), ONE(3, ENUM))
MESSAGE(crop, MSG(1, border_amounts), MANY(5, INT64))
MESSAGE(mean_variance_normalize, ONE(1, BOOL), ONE(2, BOOL), ONE(3, FIXED32))
MESSAGE(simple_recurrent, ONE(1, INT64), ONE(2, INT64), MSG(10, activation), ONE(15, BOOL), ONE(20, BOOL),
    MSG(30, weights), MSG(31, weights), MSG(32, weights), ONE(100, BOOL))
MESSAGE(gru, ONE(1, INT64), ONE(2, INT64), MSGS(10, activation), ONE(15, BOOL), ONE(20, BOOL), MSG(30, weights),
    MSG(31, weights), MSG(32, weights), MSG(50, weights), MSG(51, weights), MSG(52, weights), MSG(70, weights),
    MSG(71, weights), MSG(72, weights), ONE(100, BOOL))
MESSAGE(lstm, ONE(10, BOOL), ONE(20, BOOL), ONE(30, BOOL), ONE(40, BOOL), ONE(50, BOOL), ONE(60, FIXED32))
MESSAGE(lstm_weights, MSG(1, weights), MSG(2, weights), MSG(3, weights), MSG(4, weights), MSG(20, weights),
    MSG(21, weights), MSG(22, weights), MSG(23, weights), MSG(40, weights), MSG(41, weights), MSG(42, weights),
    MSG(43, weights), MSG(60, weights), MSG(61, weights), MSG(62, weights))
MESSAGE(one_way_lstm, ONE(1, INT64), ONE(2, INT64), MSGS(10, activation), MSG(15, lstm), MSG(20, lstm_weights),
    ONE(100, BOOL))
MESSAGE(two_way_lstm, ONE(1, INT64), ONE(2, INT64), MSGS(10, activation), MSGS(11, activation), MSG(15, lstm),
    MSGS(20, lstm_weights))
MESSAGE(custom, ONE(10, STRING), MSGS(20, weights), MSGS(30, map_custom_layer_value), ONE(40, TEXT))
MESSAGE(custom_layer_value, ONE_OF(1, 10, FIXED64), ONE_OF(1, 20, TEXT), ONE_OF(1, 30, INT32), ONE_OF(1, 40, INT64),
    ONE_OF(1, 50, BOOL))
MESSAGE(batched_matmul, ONE(1, BOOL), ONE(2, BOOL), ONE(5, INT64), ONE(6, INT64), ONE(7, BOOL), MSG(8, weights),
    MSG(9, weights), ONE(10, BOOL))
MESSAGE(reverse, MANY(1, BOOL))
MESSAGE(load_constant_nd, MANY(1, INT64), MSG(2, weights))
MESSAGE(fill_static, ONE(1, FIXED32), MANY(2, INT64))
MESSAGE(constant_padding, ONE(1, FIXED32), MANY(2, INT64), ONE(3, BOOL))
MESSAGE(random_normal_static, ONE(1, INT64), ONE(2, FIXED32), ONE(3, FIXED32), MANY(4, INT64))
MESSAGE(random_uniform_static, ONE(1, INT64), ONE(2, FIXED32), ONE(3, FIXED32), MANY(4, INT64))
MESSAGE(random_bernoulli_like, ONE(1, INT64), ONE(2, FIXED32))
MESSAGE(random_bernoulli_static, ONE(1, INT64), ONE(2, FIXED32), MANY(3, INT64))
MESSAGE(random_bernoulli_dynamic, ONE(1, INT64), ONE(2, FIXED32))
MESSAGE(categorical_distribution, ONE(1, INT64), ONE(2, INT64), ONE(3, BOOL), ONE(4, FIXED32), ONE(5, FIXED32))
MESSAGE(squeeze, MANY(1, INT64), ONE(2, BOOL))
MESSAGE(top_k, ONE(1, INT64), ONE(2, INT64), ONE(3, BOOL))
MESSAGE(split_nd, ONE(1, INT64), ONE(2, INT64), MANY(3, INT64))
MESSAGE(slice_static, MANY(1, INT64), MANY(2, BOOL), MANY(3, INT64), MANY(4, BOOL), MANY(5, INT64), MANY(6, BOOL))
MESSAGE(slice_dynamic, MANY(2, BOOL), MANY(3, INT64), MANY(4, BOOL), MANY(5, INT64), MANY(6, BOOL))
MESSAGE(range_static, ONE(1, FIXED32), ONE(2, FIXED32), ONE(3, FIXED32))
MESSAGE(range_dynamic, ONE(2, FIXED32), ONE(3, FIXED32))
MESSAGE(sliding_windows, ONE(1, INT64), ONE(2, INT64), ONE(3, INT64))
MESSAGE(layer_normalization, MANY(1, INT64), ONE(2, FIXED32), MSG(3, weights), MSG(4, weights))
MESSAGE(non_maximum_suppression, ONE(1, FIXED32), ONE(2, FIXED32), ONE(3, INT64), ONE(4, BOOL))
MESSAGE(slice_by_size, ONE(2, INT64), ONE(3, INT64))
MESSAGE(neural_network_classifier, MSGS(1, layer), MSGS(2, preprocessing), ONE(5, ENUM), ONE(6, ENUM),
    MSG(10, update_parameters), ONE_OF_MSG(1, 100, string_vector), ONE_OF_MSG(1, 101, integers), ONE(200, STRING))
MESSAGE(one_hot, ONE(1, INT64), ONE(2, INT64), ONE(3, FIXED32), ONE(4, FIXED32))
MESSAGE(cum_sum, ONE(1, INT64), ONE(2, BOOL), ONE(3, BOOL))
MESSAGE(neural_network_regressor, MSGS(1, layer), MSGS(2, preprocessing), ONE(5, ENUM), ONE(6, ENUM),
    MSG(10, update_parameters))
MESSAGE(update_parameters, MSGS(1, loss_layer), MSG(2, optimizer), MSG(3, int64_parameter), MSG(10, flag),
    MSG(20, int64_parameter))
MESSAGE(loss_layer, ONE(1, STRING), ONE_OF_MSG(1, 10, loss), ONE_OF_MSG(1, 11, loss))
MESSAGE(optimizer, ONE_OF_MSG(1, 10, sgd_optimizer), ONE_OF_MSG(1, 11, adam_optimizer))
MESSAGE(sgd_optimizer, MSG(1, double_parameter), MSG(2, int64_parameter), MSG(3, double_parameter))
MESSAGE(adam_optimizer, MSG(1, double_parameter), MSG(2, int64_parameter), MSG(3, double_parameter),
    MSG(4, double_parameter), MSG(5, double_parameter))
/* clang-format on */
