/* The tables of formats: files in the order in which they are tried, JSON that is a model, archives known by a member. */
#include "catboost.h"
#include "arrow.h"
#include "coreml.h"
#include "deathtensors.h"
#include "executorch.h"
#include "flax.h"
#include "format.h"
#include "gguf.h"
#include "h5.h"
#include "index.h"
#include "json_file.h"
#include "keras_json.h"
#include "keras_zip.h"
#include "lightgbm.h"
#include "mxnet.h"
#include "named.h"
#include "npy.h"
#include "npz.h"
#include "onnx.h"
#include "paddle.h"
#include "ort.h"
#include "parquet.h"
#include "openvino.h"
#include "pickle_file.h"
#include "pmml.h"
#include "pytorch_legacy.h"
#include "pytorch_tar.h"
#include "pytorch_zip.h"
#include "rds.h"
#include "safetensors.h"
#include "side_file.h"
#include "skops.h"
#include "svg.h"
#include "tar.h"
#include "template_file.h"
#include "tf_checkpoint.h"
#include "tf_graph.h"
#include "tf_metadata.h"
#include "tf_text.h"
#include "tfjs.h"
#include "tflite.h"
#include "tokenizer_json.h"
#include "tokenizer_model.h"
#include "torchserve.h"
#include "wrapper.h"
#include "xgboost.h"
#include "zarr.h"
#include "zip_archive.h"

const struct wlk_format *const wlk_formats[] = {
	&format_safetensors,
	&format_deathtensors,
	&format_pytorch,
	&format_skops,
	&format_torchserve,
	&format_npz,
	&format_keras_zip,
	&format_npy,
	&format_gguf,
	&format_hdf5,
	&format_tflite,
	&format_arrow,
	&format_arrow_stream,
	&format_parquet,
	&format_executorch,
	&format_ort,
	&format_zip, /* behind the formats that are ZIP archives too */
	&format_catboost,
	&format_lightgbm,
	&format_mxnet,
	&format_rds,
	&format_xgboost,
	&format_openvino,
	&format_pmml,
	&format_svg,
	&format_xml,
	&format_coreml_weights,
	&format_coreml,
	&format_paddle,
	&format_paddle_params,
	&format_named,          /* before all that has no signature */
	&format_pytorch_legacy, /* before the pickles it begins with */
	&format_pytorch_tar,
	&format_pickle,
	&format_gzip,
	&format_bzip2,
	&format_xz,
	&format_lz4,
	&format_tar,
	&format_zstd,
	&format_joblib,
	&format_lzma,
	&format_zlib, /* two bytes: behind all that have more to be known by */
	&format_tokenizer_model,
	&format_tf_checkpoint,
	&format_tf_checkpoint_state,
	&format_tf_text,
	&format_tf_fingerprint,
	&format_keras_metadata,
	&format_onnx, /* behind all that have something to be known by */
	&format_savedmodel,
	&format_tf_metagraph,
	&format_tf_graph,
	&format_onnx_tensor, /* behind those that have more to be known by */
	&format_flax,
	&format_safetensors_index,
	&format_shard_index,
	&format_tokenizer_config,
	&format_template,
	&format_code,
	&format_yaml,
	&format_zarr,
	&format_json, /* behind the configurations that are looked into */
	&format_text,
};
const size_t wlk_n_formats = sizeof(wlk_formats) / sizeof(wlk_formats[0]);

/* Held, and not read, where it is no file of its own: XGBoost's reader knows such by their beginning. */
static const struct json_model json_model_xgboost = { .id = WLK_FORMAT_XGBOOST, .keys = { "learner" } };

const struct json_model *const json_models[] = {
	&json_model_tokenizer,
	&json_model_tokenizer_added,
	&json_model_xgboost,
	&json_model_mxnet,
	&json_model_tfjs,
	&json_model_keras,
	&json_model_keras3,
	&json_model_zarr,
	&json_model_coreml_manifest,
	&json_model_paddle_pir,
};
const size_t json_n_models = sizeof(json_models) / sizeof(json_models[0]);
_Static_assert(sizeof(json_models) / sizeof(json_models[0]) <= JSON_MODELS_MAX, "");

const struct zip_reader *const zip_readers_marked[] = { &zip_reader_skops, &zip_reader_torchserve };
const size_t zip_n_readers_marked = sizeof(zip_readers_marked) / sizeof(zip_readers_marked[0]);
