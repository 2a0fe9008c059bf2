/* The tensors of whisper.cpp's models: see whisper_model.h.  Rows follow whisper_model_load(), whisper_vad_init_with_params() and the
 * names of whisper-arch.h (whisper.cpp 1.8). */
#include "whisper_model.h"

#define GGML_F32 0u
#define GGML_F16 1u

enum repeat { ONCE, EACH_ENCODER_LAYER, EACH_DECODER_LAYER };
enum type { F32, F16, CONVOLUTION, MATRIX };

struct row {
	const char *before, *after; /* the layer's number; after: NULL of what there is once */
	uint8_t repeat, type;
	uint8_t shape[WHISPER_RANK_MAX]; /* enum whisper_size */
};

#define ONE_(name, type_, ...)                                                          \
	{                                                                               \
		.before = name, .repeat = ONCE, .type = type_, .shape = { __VA_ARGS__ } \
	}
#define IN(stack, LAYER, name, type_, ...)                                                                    \
	{                                                                                                     \
		.before = stack ".blocks.", .after = "." name, .repeat = EACH_##LAYER##_LAYER, .type = type_, \
		.shape = {                                                                                    \
			__VA_ARGS__                                                                           \
		}                                                                                             \
	}
#define VECTOR(stack, LAYER, name, size) IN(stack, LAYER, name, F32, WHISPER_##size)
#define SQUARE(stack, LAYER, name) IN(stack, LAYER, name, MATRIX, WHISPER_STATE, WHISPER_STATE)
#define NORM(stack, LAYER, name) VECTOR(stack, LAYER, name ".weight", STATE), VECTOR(stack, LAYER, name ".bias", STATE)
#define ATTENTION(stack, LAYER, name)                                                                  \
	SQUARE(stack, LAYER, name ".query.weight"), VECTOR(stack, LAYER, name ".query.bias", STATE),   \
	    SQUARE(stack, LAYER, name ".key.weight"), SQUARE(stack, LAYER, name ".value.weight"),      \
	    VECTOR(stack, LAYER, name ".value.bias", STATE), SQUARE(stack, LAYER, name ".out.weight"), \
	    VECTOR(stack, LAYER, name ".out.bias", STATE)
#define BLOCK(stack, LAYER)                                                                                     \
	NORM(stack, LAYER, "mlp_ln"), IN(stack, LAYER, "mlp.0.weight", MATRIX, WHISPER_STATE, WHISPER_STATE_4), \
	    VECTOR(stack, LAYER, "mlp.0.bias", STATE_4),                                                        \
	    IN(stack, LAYER, "mlp.2.weight", MATRIX, WHISPER_STATE_4, WHISPER_STATE),                           \
	    VECTOR(stack, LAYER, "mlp.2.bias", STATE), NORM(stack, LAYER, "attn_ln"), ATTENTION(stack, LAYER, "attn")

static const struct row speech[] = {
	ONE_("encoder.positional_embedding", F32, WHISPER_STATE, WHISPER_AUDIO_CONTEXT),
	ONE_("encoder.conv1.weight", CONVOLUTION, WHISPER_THREE, WHISPER_MELS, WHISPER_STATE),
	ONE_("encoder.conv1.bias", F32, WHISPER_ONE, WHISPER_STATE),
	ONE_("encoder.conv2.weight", CONVOLUTION, WHISPER_THREE, WHISPER_STATE, WHISPER_STATE),
	ONE_("encoder.conv2.bias", F32, WHISPER_ONE, WHISPER_STATE),
	ONE_("encoder.ln_post.weight", F32, WHISPER_STATE),
	ONE_("encoder.ln_post.bias", F32, WHISPER_STATE),
	BLOCK("encoder", ENCODER),
	ONE_("decoder.positional_embedding", F32, WHISPER_STATE, WHISPER_TEXT_CONTEXT),
	ONE_("decoder.token_embedding.weight", MATRIX, WHISPER_STATE, WHISPER_VOCABULARY),
	ONE_("decoder.ln.weight", F32, WHISPER_STATE),
	ONE_("decoder.ln.bias", F32, WHISPER_STATE),
	BLOCK("decoder", DECODER),
	NORM("decoder", DECODER, "cross_attn_ln"),
	ATTENTION("decoder", DECODER, "cross_attn"),
};

#define CHANNELS(i) (WHISPER_CHANNELS + (i))
#define LAYER_(i, name)                                                                              \
	ONE_("_model.encoder." name ".reparam_conv.weight", F16, WHISPER_KERNELS + (i), CHANNELS(i), \
	    CHANNELS((i) + 1)),                                                                      \
	    ONE_("_model.encoder." name ".reparam_conv.bias", F32, CHANNELS((i) + 1))

static const struct row detector[] = {
	ONE_("_model.stft.forward_basis_buffer", F16, WHISPER_BASIS_WIDTH, WHISPER_ONE, WHISPER_BASIS),
	LAYER_(0, "0"),
	LAYER_(1, "1"),
	LAYER_(2, "2"),
	LAYER_(3, "3"),
	ONE_("_model.decoder.rnn.weight_ih", F32, WHISPER_HIDDEN, WHISPER_HIDDEN_4),
	ONE_("_model.decoder.rnn.weight_hh", F32, WHISPER_HIDDEN, WHISPER_HIDDEN_4),
	ONE_("_model.decoder.rnn.bias_ih", F32, WHISPER_HIDDEN_4),
	ONE_("_model.decoder.rnn.bias_hh", F32, WHISPER_HIDDEN_4),
	ONE_("_model.decoder.decoder.2.weight", F16, WHISPER_HIDDEN),
	ONE_("_model.decoder.decoder.2.bias", F32, WHISPER_ONE),
};

#define N(rows) ((uint32_t)(sizeof(rows) / sizeof((rows)[0])))

static const struct row *rows_of(const struct whisper_model *m, uint32_t *ret_n)
{
	*ret_n = m->kind == WHISPER_SPEECH ? N(speech) : N(detector);
	return m->kind == WHISPER_SPEECH ? speech : detector;
}

static uint32_t repeats(const struct whisper_model *m, const struct row *r)
{
	return r->repeat == ONCE ? 1 : r->repeat == EACH_ENCODER_LAYER ? m->encoder_layers : m->decoder_layers;
}

uint32_t whisper_tensors(const struct whisper_model *m)
{
	uint32_t n, total = 0;
	const struct row *rows = rows_of(m, &n);

	for (uint32_t i = 0; i < n; i++)
		total += repeats(m, &rows[i]); /* below 64 rows of at most 128 */
	return total;
}

/* A number as printf("%d") writes it, between two texts. */
static bool layer_of(struct bytes name, const struct row *r, uint32_t *ret)
{
	struct bytes before = bytes_of_text(r->before), after = bytes_of_text(r->after);
	size_t digits = name.n - before.n - after.n;
	const uint8_t *at = name.at + before.n;

	if (name.n <= before.n + after.n || digits > 3 || !bytes_equal(bytes_of(name.at, before.n), before) ||
	    !bytes_equal(bytes_of(at + digits, after.n), after) || (digits > 1 && at[0] == '0'))
		return false;
	*ret = 0;
	for (size_t i = 0; i < digits; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		*ret = *ret * 10 + (at[i] - '0'); /* below 1,000 */
	}
	return true;
}

static bool row_is(const struct whisper_model *m, const struct row *r, struct bytes name, uint32_t *ret_layer)
{
	*ret_layer = 0;
	if (r->after == NULL)
		return bytes_equal(name, bytes_of_text(r->before));
	return layer_of(name, r, ret_layer) && *ret_layer < repeats(m, r);
}

static void describe(const struct whisper_model *m, const struct row *r, struct whisper_tensor *ret)
{
	const uint32_t types[] = { GGML_F32, GGML_F16, m->convolution_type, m->matrix_type };

	ret->type = types[r->type];
	for (unsigned i = 0; i < WHISPER_RANK_MAX; i++)
		ret->shape[i] = m->sizes[r->shape[i]]; /* what a row does not say is WHISPER_ONE */
}

bool whisper_tensor_find(const struct whisper_model *m, struct bytes name, struct whisper_tensor *ret)
{
	uint32_t n, layer, place = 0;
	const struct row *rows = rows_of(m, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (row_is(m, &rows[i], name, &layer)) {
			ret->place = place + layer;
			describe(m, &rows[i], ret);
			return true;
		}
		place += repeats(m, &rows[i]);
	}
	return false;
}
