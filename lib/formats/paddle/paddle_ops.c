/* The tables of paddle_ops.h: names of PaddlePaddle's operators, 1.x to 3.x, those of old programs and those of PIR alike.
 * What stands in none of them is not known, and held: new operators are rare, and operators of libraries are not here. */
#include "paddle_ops.h"

#include <string.h>

static const char *const python[] = { "py_func", "py_layer", "pylayer", "run_program", "create_py_reader" };

static const char *const files[] = { "load", "save", "load_combine", "save_combine", "sparse_tensor_load", "read_file",
	"open_files", "create_recordio_file_reader", "create_custom_reader", "recv_save", "checkpoint_notify",
	"lookup_sparse_table_init", "lookup_sparse_table_read", "lookup_sparse_table_write", "check_numerics" };

static const char *const network[] = { "send", "recv", "send_v2", "recv_v2", "send_and_recv", "send_barrier",
	"fetch_barrier", "listen_and_serv", "heter_listen_and_serv", "fl_listen_and_serv", "prefetch",
	"distributed_lookup_table", "distributed_push_sparse", "gen_nccl_id", "gen_bkcl_id", "gen_hccl_id",
	"c_gen_nccl_id", "c_gen_bkcl_id", "c_gen_hccl_id", "c_gen_xccl_id", "c_comm_init", "c_comm_init_all",
	"c_comm_init_multitrainer", "c_comm_init_hccl", "barrier", "partial_send", "partial_recv", "p_send", "p_recv",
	"p_send_array", "p_recv_array", "pull_sparse", "pull_sparse_v2", "push_sparse", "push_sparse_v2", "push_dense",
	"pull_box_sparse", "push_box_sparse", "pull_box_extended_sparse", "push_box_extended_sparse",
	"pull_gpups_sparse", "push_gpups_sparse" };

static const char *const native[] = { "tensorrt_engine", "lite_engine", "dlnne_engine", "anakin_engine",
	"ngraph_engine", "cinn_launch", "cinn_instruction_run", "fusion_group", "ipu_runtime", "popart_custom_op",
	"subgraph" };

static const char *const printers[] = { "print", "assert" };

/* clang-format off */
static const char *const computing[] = {
	/* structure */
	"feed", "fetch", "fetch_v2", "data", "parameter", "set_parameter", "shadow_output", "shadow_feed",
	"constant", "combine", "slice", "split", "while", "if", "conditional_block", "conditional_block_infer",
	"select_input", "select_output", "yield", "tuple_push", "tuple_pop", "stack_create", "has_elements",
	"increment", "assign", "assign_value", "assign_out_", "assign_value_", "assign_pos", "cast", "share_data",
	"share_buffer", "share_var", "memcpy", "memcpy_d2h", "memcpy_h2d", "transfer_layout", "transfer_dtype",
	"nop", "depend", "delete_var", "get_places", "is_empty", "lod_array_length", "array_length", "create_array",
	"create_array_like", "array_read", "array_write_", "array_to_tensor", "tensor_array_to_tensor",
	"write_to_array", "read_from_array", "lod_tensor_to_array", "array_to_lod_tensor", "merge_lod_tensor",
	"merge_lod_tensor_infer", "split_lod_tensor", "lod_rank_table", "lod_reset", "max_sequence_len",
	"reorder_lod_tensor_by_rank", "shrink_rnn_memory", "recurrent", "rnn_memory_helper", "beam_search",
	"beam_search_decode", "one_hot", "one_hot_v2", "shape", "shape64", "size", "numel", "rank", "full", "full_",
	"full_like", "full_int_array", "full_with_tensor", "full_batch_size_like", "fill_constant",
	"fill_constant_batch_size_like", "fill_any_like", "fill_any", "fill", "fill_zeros_like", "fill_zeros_like2",
	"fill_diagonal", "fill_diagonal_tensor", "empty", "empty_like", "eye", "range", "arange", "range_v2",
	"linspace", "logspace", "tril_triu", "tril", "triu", "tril_indices", "triu_indices", "meshgrid", "diag",
	"diag_v2", "diag_embed", "diagonal", "trace", "zeros", "zeros_like", "ones", "ones_like", "isfinite",
	"isfinite_v2", "isnan", "isnan_v2", "isinf", "isinf_v2", "isclose", "allclose", "equal_all",
	/* arithmetic */
	"elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "elementwise_max",
	"elementwise_min", "elementwise_mod", "elementwise_pow", "elementwise_floordiv", "elementwise_fmax",
	"elementwise_fmin", "elementwise_heaviside", "add", "subtract", "multiply", "divide", "maximum", "minimum",
	"remainder", "floor_divide", "fmax", "fmin", "heaviside", "add_n", "sum", "minus", "scale", "pow", "square",
	"sqrt", "rsqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "abs", "sign", "reciprocal", "floor",
	"ceil", "round", "trunc", "frac", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
	"tanh", "asinh", "acosh", "atanh", "erf", "erfinv", "lgamma", "digamma", "gammaln", "polygamma", "i0",
	"i0e", "i1", "i1e", "logit", "clip", "clip_by_norm", "sigmoid", "logsigmoid", "log_sigmoid", "hard_sigmoid",
	"hardsigmoid", "hard_swish", "hardswish", "swish", "silu", "mish", "relu", "relu6", "leaky_relu", "prelu",
	"rrelu", "elu", "celu", "selu", "gelu", "softplus", "softsign", "softshrink", "soft_shrink", "hard_shrink",
	"hardshrink", "tanh_shrink", "thresholded_relu", "brelu", "soft_relu", "stanh", "maxout", "hardtanh",
	"swiglu", "softmax", "log_softmax", "gumbel_softmax", "cumsum", "cumprod", "cummax", "cummin",
	"logcumsumexp", "logsumexp", "reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod",
	"reduce_all", "reduce_any", "reduce_amax", "reduce_amin", "mean", "mean_all", "max", "min", "prod", "all",
	"any", "amax", "amin", "norm", "p_norm", "frobenius_norm", "squared_l2_norm", "l1_norm", "l2_normalize",
	"dist", "cos_sim", "cross", "dot", "kron", "mul", "matmul", "matmul_v2", "bmm", "mv", "addmm", "baddbmm",
	"multi_dot", "einsum", "matrix_power", "matrix_rank", "matrix_nms", "inverse", "determinant",
	"slogdeterminant", "slogdet", "det", "cholesky", "cholesky_solve", "qr", "svd", "lu", "lu_unpack", "eig",
	"eigh", "eigvals", "eigvalsh", "solve", "triangular_solve", "lstsq", "histogram", "bincount", "bitwise_and",
	"bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift", "logical_and",
	"logical_or", "logical_xor", "logical_not", "equal", "not_equal", "less_than", "less_equal", "greater_than",
	"greater_equal", "where", "where_index", "nonzero", "masked_select", "masked_fill", "lerp", "real", "imag",
	"conj", "angle", "complex", "as_complex", "as_real", "fft_c2c", "fft_c2r", "fft_r2c", "frame",
	"overlap_add", "stft", "copysign", "nextafter", "ldexp",
	/* shape */
	"reshape", "reshape2", "transpose", "transpose2", "squeeze", "squeeze2", "unsqueeze", "unsqueeze2",
	"flatten", "flatten2", "flatten_contiguous_range", "concat", "stack", "unstack", "unbind", "split_with_num",
	"expand", "expand_v2", "expand_as", "expand_as_v2", "tile", "repeat_interleave",
	"repeat_interleave_with_tensor_index", "broadcast_tensors", "gather", "gather_nd", "gather_tree", "scatter",
	"scatter_nd", "scatter_nd_add", "index_select", "index_sample", "index_add", "index_put", "take_along_axis",
	"put_along_axis", "strided_slice", "set_value", "set_value_", "set_value_with_tensor",
	"set_value_with_tensor_", "crop", "crop_tensor", "pad", "pad2d", "pad3d", "pad_constant_like", "flip",
	"roll", "rot90", "reverse", "unique", "unique_consecutive", "unique_with_counts", "argsort", "arg_max",
	"arg_min", "argmax", "argmin", "top_k", "top_k_v2", "topk", "kthvalue", "mode", "median", "searchsorted",
	"bucketize", "shard_index", "multiplex", "space_to_depth", "pixel_shuffle", "pixel_unshuffle",
	"shuffle_channel", "channel_shuffle", "im2sequence", "unfold", "fold", "as_strided", "view_shape",
	"view_dtype", "tensor_unfold", "slice_array", "slice_array_dense", "unpool", "unpool3d", "temporal_shift",
	"shuffle_batch", "random_routing", "block_multihead_attention_",
	/* networks */
	"conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose", "depthwise_conv2d",
	"depthwise_conv2d_transpose", "conv2d_transpose_bias", "deformable_conv", "deformable_conv_v1",
	"conv_shift", "row_conv", "pool2d", "pool3d", "max_pool2d_with_index", "max_pool3d_with_index",
	"max_pool2d_v2", "lp_pool2d", "fractional_max_pool2d", "spp", "batch_norm", "batch_norm_",
	"sync_batch_norm", "sync_batch_norm_", "inplace_abn", "layer_norm", "group_norm", "instance_norm",
	"data_norm", "spectral_norm", "rms_norm", "lrn", "affine_channel", "affine_grid", "grid_sampler",
	"grid_sample", "dropout", "dropout_nd", "fc", "lookup_table", "lookup_table_v2", "embedding", "lstm",
	"lstmp", "gru", "gru_unit", "lstm_unit", "cudnn_lstm", "rnn", "attention_lstm",
	"scaled_dot_product_attention", "flash_attn", "flash_attn_unpadded", "memory_efficient_attention",
	"variable_length_memory_efficient_attention", "masked_multihead_attention", "masked_multihead_attention_",
	"sparse_attention", "multihead_matmul", "multihead_matmul_v2", "qkv_unpack_mha", "self_dp_attention",
	"skip_layernorm", "preln_skip_layernorm", "emb_eltwise_layernorm", "fused_embedding_eltwise_layernorm",
	"fused_fc_elementwise_layernorm", "fused_multi_transformer", "fused_multi_transformer_",
	"fused_multi_transformer_int8", "fused_attention", "fused_feedforward", "fused_bias_act",
	"fused_bias_dropout_residual_layer_norm", "fused_bias_residual_layernorm", "fused_layer_norm",
	"fused_rms_norm", "fused_rotary_position_embedding", "fused_gemm_epilogue", "fused_dropout_add",
	"fused_elemwise_activation", "fused_elemwise_add_activation", "fused_elementwise_add",
	"fused_elementwise_sub", "fused_elementwise_mul", "fused_elementwise_div", "fused_batch_norm_act",
	"fused_bn_add_activation", "fused_embedding_seq_pool", "fused_embedding_fc_lstm", "fused_seqpool_cvm",
	"fused_transpose", "fused_matmul", "fused_conv2d", "fused_conv3d", "fused_softplus",
	"fused_linear_param_grad_add", "fused_scale_bias_relu_conv_bn", "fused_conv2d_add_act", "fusion_gru",
	"fusion_lstm", "fusion_repeated_fc_relu", "fusion_seqconv_eltadd_relu", "fusion_seqexpand_concat_fc",
	"fusion_seqpool_concat", "fusion_seqpool_cvm_concat", "fusion_squared_mat_sub",
	"fusion_transpose_flatten_concat", "conv2d_fusion", "conv2d_inception_fusion", "bilinear_interp",
	"bilinear_interp_v2", "nearest_interp", "nearest_interp_v2", "bicubic_interp", "bicubic_interp_v2",
	"linear_interp", "linear_interp_v2", "trilinear_interp", "trilinear_interp_v2", "bilinear_tensor_product",
	"bilinear", "fsp", "softmax_mask_fuse", "fused_softmax_mask", "fused_softmax_mask_upper_triangle",
	"softmax_mask_fuse_upper_triangle", "weight_quantize", "weight_dequantize", "weight_only_linear",
	"llm_int8_linear", "apply_per_channel_scale", "add_position_encoding", "get_padding_offset",
	"rebuild_padding", "top_p_sampling", "fused_moe", "yolo_box_head", "yolo_box_post",
	/* sequences */
	"sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_erase", "sequence_expand",
	"sequence_expand_as", "sequence_mask", "sequence_pad", "sequence_unpad", "sequence_pool",
	"sequence_reshape", "sequence_reverse", "sequence_scatter", "sequence_slice", "sequence_softmax",
	"sequence_topk_avg_pooling", "crf_decoding", "linear_chain_crf", "ctc_align", "warpctc", "warprnnt",
	"edit_distance", "viterbi_decode", "match_matrix_tensor", "var_conv_2d", "tree_conv", "pyramid_hash",
	"hash", "faster_tokenizer", "chunk_eval", "im2col",
	/* detection */
	"anchor_generator", "bipartite_match", "box_clip", "box_coder", "box_decoder_and_assign",
	"collect_fpn_proposals", "density_prior_box", "distribute_fpn_proposals", "generate_mask_labels",
	"generate_proposal_labels", "generate_proposals", "generate_proposals_v2", "iou_similarity",
	"locality_aware_nms", "mine_hard_examples", "multiclass_nms", "multiclass_nms2", "multiclass_nms3", "nms",
	"polygon_box_transform", "prior_box", "psroi_pool", "prroi_pool", "retinanet_detection_output",
	"retinanet_target_assign", "roi_align", "roi_perspective_transform", "roi_pool", "rpn_target_assign",
	"ssd_loss", "target_assign", "yolo_box", "yolov3_loss", "yolo_loss", "detection_map", "correlation",
	"similarity_focus", "decode_jpeg",
	/* chance, quantisation, loss and metrics */
	"uniform_random", "uniform_random_batch_size_like", "uniform_random_inplace", "uniform", "uniform_inplace",
	"gaussian_random", "gaussian_random_batch_size_like", "gaussian", "gaussian_inplace",
	"truncated_gaussian_random", "trunc_normal", "randint", "randperm", "random_crop", "bernoulli", "binomial",
	"poisson", "exponential_", "multinomial", "sampling_id", "standard_gamma", "dirichlet", "seed", "quantize",
	"dequantize", "requantize", "quantize_linear", "dequantize_linear", "dequantize_abs_max", "dequantize_log",
	"fake_quantize_abs_max", "fake_quantize_range_abs_max", "fake_quantize_moving_average_abs_max",
	"fake_quantize_dequantize_abs_max", "fake_quantize_dequantize_moving_average_abs_max",
	"fake_channel_wise_quantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max",
	"fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs", "moving_average_abs_max_scale",
	"lookup_table_dequant", "cross_entropy", "cross_entropy2", "softmax_with_cross_entropy",
	"cross_entropy_with_softmax", "sigmoid_cross_entropy_with_logits", "bce_loss", "sigmoid_focal_loss",
	"log_loss", "huber_loss", "smooth_l1_loss", "kldiv_loss", "hinge_loss", "bpr_loss", "nll_loss",
	"margin_rank_loss", "rank_loss", "nce", "hierarchical_sigmoid", "hsigmoid_loss", "label_smooth",
	"identity_loss", "center_loss", "accuracy", "auc", "mean_iou", "precision_recall", "cvm", "tdm_child",
	"tdm_sampler", "segment_pool", "send_u_recv", "send_ue_recv", "send_uv", "graph_send_recv",
	"graph_send_ue_recv", "graph_send_uv", "merge_selected_rows", "get_tensor_from_selected_rows",
	"number_count", "expand_modality_expert_id", "limit_by_capacity", "prune_gate_by_capacity",
	"rank_attention", "batch_fc", "filter_by_instag",
};
/* clang-format on */

#define HAS(list, name) has(list, sizeof(list) / sizeof((list)[0]), name)

static bool has(const char *const *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n && name.n > 0; i++)
		if ((uint8_t)list[i][0] == name.at[0] && bytes_equal(name, bytes_of_text(list[i])))
			return true;
	return false;
}

static enum paddle_op_kind look_up(struct bytes name)
{
	if (HAS(python, name))
		return PADDLE_OP_PYTHON_;
	if (HAS(files, name))
		return PADDLE_OP_FILE_;
	if (HAS(network, name))
		return PADDLE_OP_NETWORK_;
	if (HAS(native, name))
		return PADDLE_OP_NATIVE_;
	if (HAS(printers, name))
		return PADDLE_OP_PRINTS;
	return HAS(computing, name) ? PADDLE_OP_COMPUTES : PADDLE_OP_UNKNOWN_;
}

static bool take_suffix(struct bytes *name, const char *suffix)
{
	size_t n = strlen(suffix);

	if (name->n <= n || memcmp(name->at + name->n - n, suffix, n) != 0)
		return false;
	name->n -= n;
	return true;
}

enum paddle_op_kind paddle_op_kind(struct bytes name)
{
	enum paddle_op_kind kind = look_up(name);

	while (kind == PADDLE_OP_UNKNOWN_ && (take_suffix(&name, "_grad") || take_suffix(&name, "_")))
		kind = look_up(name);
	return kind;
}

bool paddle_op_finding(enum paddle_op_kind kind, enum wlk_finding *ret)
{
	switch (kind) {
	case PADDLE_OP_COMPUTES: return false;
	case PADDLE_OP_PRINTS: *ret = WLK_F_PADDLE_OP_PRINT; break;
	case PADDLE_OP_PYTHON_: *ret = WLK_F_PADDLE_OP_PYTHON; break;
	case PADDLE_OP_FILE_: *ret = WLK_F_PADDLE_OP_FILE; break;
	case PADDLE_OP_NETWORK_: *ret = WLK_F_PADDLE_OP_NETWORK; break;
	case PADDLE_OP_NATIVE_: *ret = WLK_F_PADDLE_OP_NATIVE; break;
	default: *ret = WLK_F_PADDLE_OP_UNKNOWN; break;
	}
	return true;
}
