/* Known keys: see gguf_keys.h. */
#include "gguf_keys.h"

#define S(type) GGUF_SCALAR(GGUF_##type)
#define A(type) GGUF_ARRAY_OF(GGUF_##type)

/* "Most counts/lengths are uint64 ... some models may use uint32"; one a layer where layers differ, which converters in
 * Python write as signed. */
#define COUNT (S(U32) | S(U64) | A(U32) | A(U64) | A(I32))

struct known {
	const char *name;
	enum gguf_role role;
	uint32_t types;
};

static const struct known whole[] = {
	{ "general.architecture", GGUF_ARCHITECTURE, S(STRING) },
	{ "general.quantization_version", GGUF_QUANTIZATION_VERSION, S(U32) },
	{ "general.alignment", GGUF_ALIGNMENT, 0 }, /* has a code of its own */
	{ "general.type", GGUF_TYPE, S(STRING) },
	{ "general.name", GGUF_PLAIN, S(STRING) },
	{ "general.author", GGUF_PLAIN, S(STRING) },
	{ "general.version", GGUF_PLAIN, S(STRING) },
	{ "general.organization", GGUF_PLAIN, S(STRING) },
	{ "general.basename", GGUF_PLAIN, S(STRING) },
	{ "general.finetune", GGUF_PLAIN, S(STRING) },
	{ "general.description", GGUF_PLAIN, S(STRING) },
	{ "general.quantized_by", GGUF_PLAIN, S(STRING) },
	{ "general.size_label", GGUF_PLAIN, S(STRING) },
	{ "general.license", GGUF_PLAIN, S(STRING) },
	{ "general.license.name", GGUF_PLAIN, S(STRING) },
	{ "general.doi", GGUF_PLAIN, S(STRING) },
	{ "general.uuid", GGUF_PLAIN, S(STRING) },
	{ "general.source.doi", GGUF_PLAIN, S(STRING) },
	{ "general.source.uuid", GGUF_PLAIN, S(STRING) },
	{ "general.tags", GGUF_PLAIN, A(STRING) },
	{ "general.languages", GGUF_PLAIN, A(STRING) },
	{ "general.datasets", GGUF_PLAIN, A(STRING) },
	{ "general.file_type", GGUF_PLAIN, S(U32) },
	{ "general.base_model.count", GGUF_PLAIN, S(U32) },
	{ "general.dataset.count", GGUF_PLAIN, S(U32) },
	{ "split.no", GGUF_SPLIT_NO, S(U16) },
	{ "split.count", GGUF_SPLIT_COUNT, S(U16) },
	{ "split.tensors.count", GGUF_SPLIT_TENSORS, S(I32) },
	{ "adapter.type", GGUF_PLAIN, S(STRING) },
	{ "adapter.lora.alpha", GGUF_PLAIN, S(F32) },
	{ "controlvector.model_hint", GGUF_PLAIN, S(STRING) },
	{ "controlvector.layer_count", GGUF_PLAIN, S(I32) | S(U32) }, /* either is written */
	{ "imatrix.datasets", GGUF_PLAIN, A(STRING) },
	{ "imatrix.chunk_count", GGUF_PLAIN, S(U32) },
	{ "imatrix.chunk_size", GGUF_PLAIN, S(U32) },
	{ "tokenizer.chat_template", GGUF_TEMPLATE, S(STRING) },
	{ "tokenizer.chat_templates", GGUF_PLAIN, A(STRING) },
	{ "tokenizer.huggingface.json", GGUF_PLAIN, S(STRING) },
	{ "tokenizer.rwkv.world", GGUF_PLAIN, S(STRING) },
	{ "tokenizer.ggml.model", GGUF_PLAIN, S(STRING) },
	{ "tokenizer.ggml.pre", GGUF_PLAIN, S(STRING) },
	{ "tokenizer.ggml.tokens", GGUF_TOKENS, A(STRING) },
	{ "tokenizer.ggml.scores", GGUF_SCORES, A(F32) },
	{ "tokenizer.ggml.token_type", GGUF_TOKEN_TYPE, A(I32) },
	{ "tokenizer.ggml.merges", GGUF_MERGES, A(STRING) },
	{ "tokenizer.ggml.added_tokens", GGUF_TOKENIZER_LIST, A(STRING) },
	{ "tokenizer.ggml.suppress_tokens", GGUF_SUPPRESS, A(I32) | A(U32) }, /* read as either */
	{ "tokenizer.ggml.token_type_count", GGUF_PLAIN, S(U32) },
	{ "tokenizer.ggml.precompiled_charsmap", GGUF_CHARSMAP, A(U8) | A(I8) },
	{ "tokenizer.ggml.add_bos_token", GGUF_PLAIN, S(BOOL) },
	{ "tokenizer.ggml.add_eos_token", GGUF_PLAIN, S(BOOL) },
	{ "tokenizer.ggml.add_sep_token", GGUF_PLAIN, S(BOOL) },
	{ "tokenizer.ggml.add_space_prefix", GGUF_PLAIN, S(BOOL) },
	{ "tokenizer.ggml.remove_extra_whitespaces", GGUF_PLAIN, S(BOOL) },
};

/* Behind the name of an architecture and a dot. */
static const struct known of_architecture[] = {
	{ "context_length", GGUF_PLAIN, COUNT },
	{ "embedding_length", GGUF_PLAIN, COUNT },
	{ "block_count", GGUF_BLOCK_COUNT, COUNT },
	{ "feed_forward_length", GGUF_PLAIN, COUNT },
	{ "vocab_size", GGUF_PLAIN, COUNT },
	{ "expert_count", GGUF_PLAIN, COUNT },
	{ "expert_used_count", GGUF_PLAIN, COUNT },
	{ "use_parallel_residual", GGUF_PLAIN, S(BOOL) },
	{ "tensor_data_layout", GGUF_PLAIN, S(STRING) },
	{ "attention.head_count", GGUF_PLAIN, COUNT },
	{ "attention.head_count_kv", GGUF_PLAIN, COUNT },
	{ "attention.key_length", GGUF_PLAIN, COUNT },
	{ "attention.value_length", GGUF_PLAIN, COUNT },
	{ "attention.max_alibi_bias", GGUF_PLAIN, S(F32) },
	{ "attention.clamp_kqv", GGUF_PLAIN, S(F32) },
	{ "attention.layer_norm_epsilon", GGUF_PLAIN, S(F32) },
	{ "attention.layer_norm_rms_epsilon", GGUF_PLAIN, S(F32) },
	{ "attention.causal", GGUF_PLAIN, S(BOOL) },
	{ "rope.dimension_count", GGUF_PLAIN, COUNT },
	{ "rope.freq_base", GGUF_PLAIN, S(F32) },
	{ "rope.scale_linear", GGUF_PLAIN, S(F32) },
	{ "rope.scaling.type", GGUF_PLAIN, S(STRING) },
	{ "rope.scaling.factor", GGUF_PLAIN, S(F32) },
	{ "rope.scaling.original_context_length", GGUF_PLAIN, COUNT },
	{ "rope.scaling.finetuned", GGUF_PLAIN, S(BOOL) },
	{ "ssm.conv_kernel", GGUF_PLAIN, COUNT },
	{ "ssm.inner_size", GGUF_PLAIN, COUNT },
	{ "ssm.state_size", GGUF_PLAIN, COUNT },
	{ "ssm.time_step_rank", GGUF_PLAIN, COUNT },
};

/* Of an encoder (clip.vision, clip.audio), as its loader reads them: any other type ends the process (tools/mtmd/clip.cpp), and
 * gguf-py writes these. */
static const struct known of_encoder[] = {
	{ "has_vision_encoder", GGUF_PLAIN, S(BOOL) },
	{ "has_audio_encoder", GGUF_PLAIN, S(BOOL) },
	{ "has_llava_projector", GGUF_PLAIN, S(BOOL) },
	{ "use_gelu", GGUF_PLAIN, S(BOOL) },
	{ "use_silu", GGUF_PLAIN, S(BOOL) },
	{ "projector_type", GGUF_PLAIN, S(STRING) },
	{ "image_size", GGUF_PLAIN, S(U32) },
	{ "patch_size", GGUF_PLAIN, S(U32) },
	{ "projection_dim", GGUF_PLAIN, S(U32) },
	{ "spatial_merge_size", GGUF_PLAIN, S(U32) },
	{ "projector.scale_factor", GGUF_PLAIN, S(U32) },
	{ "projector.stack_factor", GGUF_PLAIN, S(U32) },
	{ "num_mel_bins", GGUF_PLAIN, S(U32) },
	{ "image_mean", GGUF_PLAIN, A(F32) },
	{ "image_std", GGUF_PLAIN, A(F32) },
	{ "image_grid_pinpoints", GGUF_PLAIN, A(I32) },
	{ "feature_layer", GGUF_PLAIN, A(I32) },
	{ "wa_layer_indexes", GGUF_PLAIN, A(I32) },
	{ "is_deepstack_layers", GGUF_PLAIN, A(BOOL) },
};

#define N(table) (sizeof(table) / sizeof((table)[0]))

unsigned gguf_value_bytes(enum gguf_value_type type)
{
	static const uint8_t bytes[] = {
#define X(name, printed, id, bytes) [id] = (bytes),
		GGUF_VALUE_TYPES(X)
#undef X
	};

	return bytes[type];
}

const char *gguf_value_name(enum gguf_value_type type, bool is_array)
{
	static const char *const names[][2] = {
#define X(name, printed, id, bytes) [id] = { printed, printed "[]" },
		GGUF_VALUE_TYPES(X)
#undef X
	};

	return names[type][is_array];
}

static const struct known *find(const struct known *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (bytes_equal(bytes_of_text(list[i].name), name))
			return &list[i];
	return NULL;
}

static struct bytes behind(struct bytes key, size_t n)
{
	return bytes_of(key.at + n, key.n - n);
}

static bool names_link(struct bytes key)
{
	return bytes_end_with(key, ".url") || bytes_end_with(key, ".link") || bytes_end_with(key, "repo_url");
}

/* What stands behind the first dot, when what stands before it may be an architecture.  Encoders of other media have a
 * name of two words. */
static struct bytes of_model(struct bytes key)
{
	const uint8_t *dot = key.n > 0 ? memchr(key.at, '.', key.n) : NULL;

	if (bytes_begin_with(key, "clip.vision."))
		return behind(key, strlen("clip.vision."));
	if (bytes_begin_with(key, "clip.audio."))
		return behind(key, strlen("clip.audio."));
	return dot != NULL ? behind(key, (size_t)(dot - key.at) + 1) : bytes_of(key.at, 0);
}

struct gguf_key_rule gguf_key_rule(struct bytes key)
{
	const struct known *k = find(whole, N(whole), key);

	if (k == NULL)
		k = find(of_architecture, N(of_architecture), of_model(key));
	if (k == NULL && bytes_begin_with(key, "clip."))
		k = find(of_encoder, N(of_encoder), of_model(key));
	if (k != NULL)
		return (struct gguf_key_rule){ k->role, k->types };
	if (bytes_begin_with(key, "tokenizer.chat_template."))
		return (struct gguf_key_rule){ GGUF_TEMPLATE, S(STRING) };
	if (bytes_begin_with(key, "tokenizer.ggml.") && bytes_end_with(key, "_token_id"))
		return (struct gguf_key_rule){ GGUF_TOKEN_ID, S(U32) };
	if (bytes_begin_with(key, "general.") && names_link(key))
		return (struct gguf_key_rule){ GGUF_URL, S(STRING) };
	if (bytes_end_with(key, ".block_count"))
		return (struct gguf_key_rule){ GGUF_BLOCK_COUNT, COUNT };
	return (struct gguf_key_rule){ GGUF_PLAIN, 0 };
}

static bool is_lower(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

enum gguf_key_form gguf_key_form(struct bytes key)
{
	enum gguf_key_form form = GGUF_KEY_SOUND;
	bool in_word = false;

	for (size_t i = 0; i < key.n; i++) {
		uint8_t c = key.at[i];

		if (c == '.' && !in_word)
			return GGUF_KEY_FORBIDDEN;
		in_word = c != '.';
		if (c >= 'A' && c <= 'Z')
			form = GGUF_KEY_UPPER_CASE;
		else if (c != '.' && !is_lower(c))
			return GGUF_KEY_FORBIDDEN;
	}
	return in_word ? form : GGUF_KEY_FORBIDDEN;
}
