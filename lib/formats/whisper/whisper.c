/* whisper.cpp's models, read from front to back: head, mel filters and vocabulary (or the detector's head), then tensors until the
 * end.  The loader builds its tensors from the head and reads into them whatever stands under their names, so each must come once,
 * in the shape and type that it was built with.  Rules by number are those of docs/formats/whisper.md. */
#include "whisper.h"

#include "checked.h"
#include "ggml.h"
#include "runs.h"
#include "sequence.h"
#include "whisper_model.h"

#define FFT_BINS 201u      /* half of WHISPER_N_FFT, and one: the transform's result has no more */
#define WORD_MAX 1024u     /* bytes; the longest of the published vocabularies has 128 */
#define NAME_MAX_BYTES 64u /* of a tensor: the longest in the tables has 39 */
#define STATE_MAX 8192u
#define CONTEXT_MAX 8192u
#define MELS_MAX 256u
#define EMPTY_STATE_MAX 1280u /* of the largest that was published: what a file without tensors may still ask for */
#define EMPTY_LAYERS_MAX 32u
#define DETECTOR_LAYERS 4u /* the loader's code has so many, whatever the head says */
#define DETECTOR_TYPE_MAX 64u

enum head_number {
	H_VOCABULARY,
	H_AUDIO_CONTEXT,
	H_AUDIO_STATE,
	H_AUDIO_HEADS,
	H_AUDIO_LAYERS,
	H_TEXT_CONTEXT,
	H_TEXT_STATE,
	H_TEXT_HEADS,
	H_TEXT_LAYERS,
	H_MELS,
	H_TYPE,
	HEAD_NUMBERS
};

struct reader {
	struct sequence in;
	struct layout *l;
	struct runs runs;
	struct whisper_model model;
	uint8_t *seen; /* by tensor's place */
	uint32_t n_seen;
};

/* -- what was read, as a row of the manifest -- */

struct found {
	uint32_t rank, type, shape[WHISPER_RANK_MAX];
	uint8_t name[NAME_MAX_BYTES];
	uint32_t name_n;
};

/* Filters come first, as number 0. */
static bool list(struct reader *r, const struct found *f, enum wlk_dtype dtype, uint64_t n)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = bytes_of(f->name, f->name_n),
		.name_bytes = f->name_n,
		.dtype = bytes_of_text(dtype_info(dtype)->name),
		.index = r->n_seen,
		.begin = r->in.pos - n,
		.end = r->in.pos,
		.rank = f->rank };

	r->l->extents->list[r->l->extents->n - 1].index = r->n_seen;
	for (unsigned i = 0; i < f->rank; i++)
		row.shape[i] = f->shape[f->rank - 1 - i]; /* the slowest first */
	return !layout_wants_tensors(r->l) || layout_tensor(r->l, &row);
}

/* -- rule 2: the head -- */

static bool in_range(struct reader *r, const char *what, uint32_t value, uint32_t least, uint32_t most)
{
	if (value >= least && value <= most)
		return true;
	return sequence_fault_number(&r->in, WLK_F_WHISPER_HEAD, 4, what, value, value < least ? least : most);
}

/* ggml_ftype: what matrices are stored as, and above 1,000 the version of quantised types, which is 2. */
static bool matrix_type(uint32_t type, uint32_t *ret)
{
	/* F32, F16, Q4_0, Q4_1, -, -, -, Q8_0, Q5_0, Q5_1, Q2_K to Q6_K */
	static const uint8_t types[] = { 0, 1, 2, 3, 0, 0, 0, 8, 6, 7, 10, 11, 12, 13, 14 };
	uint32_t file_type = type % 1000, version = type / 1000;

	if (file_type >= sizeof(types) || (file_type >= 4 && file_type <= 6) || version != (file_type > 1 ? 2 : 0))
		return false;
	*ret = types[file_type];
	return true;
}

static bool check_head(struct reader *r, const uint32_t n[HEAD_NUMBERS])
{
	uint32_t state = n[H_AUDIO_STATE], *matrices = &r->model.matrix_type;

	/* Tokens beyond the text are found by numbers that follow from these three; other sizes index past the logits. */
	return in_range(r, "n_vocab", n[H_VOCABULARY], 51864, 51866) &&
	       in_range(r, "n_audio_ctx", n[H_AUDIO_CONTEXT], 1, CONTEXT_MAX) &&
	       in_range(r, "n_audio_state", state, 1, STATE_MAX) &&
	       in_range(r, "n_audio_head", n[H_AUDIO_HEADS], 1, state) &&
	       in_range(r, "n_audio_state % n_audio_head", state % n[H_AUDIO_HEADS], 0, 0) &&
	       in_range(r, "n_audio_layer", n[H_AUDIO_LAYERS], 1, WHISPER_LAYERS_MAX) &&
	       in_range(r, "n_text_ctx", n[H_TEXT_CONTEXT], 8, CONTEXT_MAX) &&
	       in_range(r, "n_text_state", n[H_TEXT_STATE], state, state) &&
	       in_range(r, "n_text_head", n[H_TEXT_HEADS], 1, state) &&
	       in_range(r, "n_text_state % n_text_head", state % n[H_TEXT_HEADS], 0, 0) &&
	       in_range(r, "n_text_layer", n[H_TEXT_LAYERS], 1, WHISPER_LAYERS_MAX) &&
	       in_range(r, "n_mels", n[H_MELS], 1, MELS_MAX) &&
	       (matrix_type(n[H_TYPE], matrices) ||
		   sequence_fault_number(&r->in, WLK_F_WHISPER_HEAD, 4, "ftype", n[H_TYPE], 1));
}

static void build_speech(struct whisper_model *m, const uint32_t n[HEAD_NUMBERS])
{
	m->kind = WHISPER_SPEECH;
	m->convolution_type = m->matrix_type == 0 ? 0 : 1;
	m->encoder_layers = n[H_AUDIO_LAYERS];
	m->decoder_layers = n[H_TEXT_LAYERS];
	m->sizes[WHISPER_VOCABULARY] = n[H_VOCABULARY];
	m->sizes[WHISPER_MELS] = n[H_MELS];
	m->sizes[WHISPER_AUDIO_CONTEXT] = n[H_AUDIO_CONTEXT];
	m->sizes[WHISPER_TEXT_CONTEXT] = n[H_TEXT_CONTEXT];
	m->sizes[WHISPER_STATE] = n[H_AUDIO_STATE];
	m->sizes[WHISPER_STATE_4] = n[H_AUDIO_STATE] * 4; /* at most 32,768 */
}

static bool read_filters(struct reader *r, uint32_t mels)
{
	static const char name[] = "filters";
	struct found f = { .rank = 2, .shape = { FFT_BINS, mels }, .name_n = sizeof(name) - 1 };
	uint64_t n = (uint64_t)mels * FFT_BINS * 4; /* at most 205,824 */
	uint32_t rows, bins;

	memcpy(f.name, name, f.name_n);
	return sequence_u32(&r->in, &rows) && in_range(r, "filters.n_mel", rows, mels, mels) &&
	       sequence_u32(&r->in, &bins) && in_range(r, "filters.n_fft", bins, FFT_BINS, FFT_BINS) &&
	       sequence_skip(&r->in, n) &&
	       runs_add(&r->runs, r->in.pos - n, n, WLK_DTYPE_F32, bytes_of(f.name, f.name_n)) &&
	       list(r, &f, WLK_DTYPE_F32, n);
}

/* Rule 3. */
static bool read_vocabulary(struct reader *r, uint32_t most)
{
	uint32_t words, n;

	if (!sequence_u32(&r->in, &words) || !in_range(r, "vocabulary", words, 1, most))
		return false;
	for (uint32_t i = 0; i < words; i++)
		if (!sequence_u32(&r->in, &n) || !in_range(r, "word", n, 0, WORD_MAX) || !sequence_skip(&r->in, n))
			return false;
	return true;
}

static bool read_speech(struct reader *r)
{
	uint32_t n[HEAD_NUMBERS] = { 0 };

	for (unsigned i = 0; i < HEAD_NUMBERS; i++)
		if (!sequence_u32(&r->in, &n[i]))
			return false;
	if (!check_head(r, n))
		return false;
	build_speech(&r->model, n);
	return read_filters(r, n[H_MELS]) && read_vocabulary(r, n[H_VOCABULARY]);
}

/* -- rule 5: the detector's head -- */

static bool take_in_range(struct reader *r, const char *what, uint32_t least, uint32_t most, uint32_t *ret)
{
	return sequence_u32(&r->in, ret) && in_range(r, what, *ret, least, most);
}

static bool read_channels(struct reader *r, uint32_t *sizes)
{
	uint32_t *out = &sizes[WHISPER_CHANNELS], in;

	*out = sizes[WHISPER_BASIS] / 2; /* real and imaginary parts make one magnitude */
	for (unsigned i = 0; i < DETECTOR_LAYERS; i++, out++)
		if (!take_in_range(r, "encoder_in_channels", *out, *out, &in) ||
		    !take_in_range(r, "encoder_out_channels", 1, STATE_MAX, &out[1]) ||
		    !take_in_range(r, "kernel_sizes", 3, 3, &sizes[WHISPER_KERNELS + i]))
			return false;
	return true;
}

static bool read_lstm(struct reader *r, uint32_t *sizes)
{
	uint32_t width = sizes[WHISPER_CHANNELS + DETECTOR_LAYERS], ignored;

	sizes[WHISPER_HIDDEN] = width;
	sizes[WHISPER_HIDDEN_4] = width * 4; /* at most 32,768 */
	return take_in_range(r, "lstm_input_size", width, width, &ignored) &&
	       take_in_range(r, "lstm_hidden_size", width, width, &ignored) &&
	       take_in_range(r, "final_conv_in", width, width, &ignored) &&
	       take_in_range(r, "final_conv_out", 1, 1, &ignored);
}

static bool read_detector(struct reader *r)
{
	uint32_t *sizes = r->model.sizes, n, ignored;

	r->model.kind = WHISPER_DETECTOR;
	sizes[WHISPER_BASIS_WIDTH] = 256;
	sizes[WHISPER_BASIS] = 258;
	return take_in_range(r, "model type", 1, DETECTOR_TYPE_MAX, &n) && sequence_skip(&r->in, n) &&
	       sequence_skip(&r->in, 12) /* the version */ && take_in_range(r, "n_window", 512, 512, &ignored) &&
	       take_in_range(r, "n_context", 64, 64, &ignored) &&
	       take_in_range(r, "n_encoder_layers", DETECTOR_LAYERS, DETECTOR_LAYERS, &ignored) &&
	       read_channels(r, sizes) && read_lstm(r, sizes);
}

/* -- rule 4: tensors -- */

static bool tensor_fault(struct reader *r, uint64_t at, const struct found *f, const char *what)
{
	return sequence_fault(&r->in, WLK_F_WHISPER_TENSOR, at, bytes_of(f->name, f->name_n), what);
}

static bool take_tensor_head(struct reader *r, struct found *f)
{
	uint64_t at = r->in.pos;

	if (!sequence_u32(&r->in, &f->rank) || !sequence_u32(&r->in, &f->name_n) || !sequence_u32(&r->in, &f->type))
		return false;
	if (f->rank > WHISPER_RANK_MAX || f->name_n == 0 || f->name_n > NAME_MAX_BYTES) {
		f->name_n = 0;
		return tensor_fault(r, at, f, "dimensions, or the name's length");
	}
	for (uint32_t i = 0; i < WHISPER_RANK_MAX; i++) {
		f->shape[i] = 1;
		if (i < f->rank && !sequence_u32(&r->in, &f->shape[i]))
			return false;
	}
	return sequence_take(&r->in, f->name, f->name_n);
}

/* Bytes that the loader reads for it: rows are whole blocks. */
static bool tensor_bytes(const struct whisper_tensor *t, const struct ggml_type *type, uint64_t *ret)
{
	*ret = type->bytes;
	if (t->shape[0] % type->block != 0 || !mul_u64(*ret, t->shape[0] / type->block, ret))
		return false;
	for (unsigned i = 1; i < WHISPER_RANK_MAX; i++)
		if (!mul_u64(*ret, t->shape[i], ret))
			return false;
	return true;
}

static bool read_tensor(struct reader *r)
{
	uint64_t at = r->in.pos, n;
	const struct ggml_type *type;
	struct whisper_tensor t;
	struct found f;

	if (!take_tensor_head(r, &f))
		return false;
	if (!whisper_tensor_find(&r->model, bytes_of(f.name, f.name_n), &t))
		return tensor_fault(r, at, &f, "no tensor of this model");
	if (r->seen[t.place])
		return tensor_fault(r, at, &f, "a name given twice");
	type = ggml_type(t.type);
	if (f.type != t.type || memcmp(f.shape, t.shape, sizeof(t.shape)) != 0 || !tensor_bytes(&t, type, &n))
		return tensor_fault(r, at, &f, "another type or shape than the model's");
	r->seen[t.place] = 1;
	r->n_seen++;
	return sequence_skip(&r->in, n) &&
	       runs_add(&r->runs, r->in.pos - n, n, type->dtype, bytes_of(f.name, f.name_n)) &&
	       list(r, &f, type->dtype, n);
}

/* The program's own tests use files without one tensor; the loader takes all or none. */
static void check_complete(struct reader *r)
{
	const struct whisper_model *m = &r->model;
	uint32_t n = whisper_tensors(m);
	bool small = m->sizes[WHISPER_STATE] <= EMPTY_STATE_MAX && m->encoder_layers <= EMPTY_LAYERS_MAX &&
		     m->decoder_layers <= EMPTY_LAYERS_MAX;

	if (r->n_seen == 0 && m->kind == WHISPER_SPEECH && small)
		layout_value(r->l, WLK_F_WHISPER_EMPTY, r->in.pos, 0, n);
	else if (r->n_seen < n)
		sequence_fault_number(&r->in, WLK_F_WHISPER_MISSING, 0, "tensors", r->n_seen, n);
}

static bool read_tensors(struct reader *r)
{
	r->seen = arena_alloc(r->l->arena, whisper_tensors(&r->model), 1);
	if (r->seen == NULL)
		return false;
	while (!sequence_ends(&r->in))
		if (!read_tensor(r))
			return false;
	check_complete(r);
	return true;
}

/* -- the whole -- */

/* The detector begins with the length of its type's name, speech with the size of its vocabulary. */
static bool is_detector(uint32_t first)
{
	return first <= DETECTOR_TYPE_MAX;
}

/* Parakeet (whisper.cpp, src/parakeet.cpp, parakeet_model_load()): fifteen numbers, then filters, whose number of rows is given again. */
static bool is_parakeet(const uint8_t *head, size_t n)
{
	enum { P_MELS = 6, P_SUBSAMPLING = 9, P_DURATIONS = 14, P_ROWS = 16, P_NUMBERS };
	uint32_t mels;

	if (n < P_NUMBERS * 4 || memcmp(head, "lmgg", 4) != 0)
		return false;
	mels = load_u32le(head + P_MELS * 4);
	return mels > 0 && mels <= MELS_MAX && load_u32le(head + P_ROWS * 4) == mels &&
	       load_u32le(head + P_SUBSAMPLING * 4) - 1 < 64 && load_u32le(head + P_DURATIONS * 4) - 1 < 64;
}

/* Other programs wrote other heads behind the same four letters; what they meant nobody reads any more (formats/gguf). */
static bool probe(const struct probe *p)
{
	static const uint8_t magic[] = { 'l', 'm', 'g', 'g' };
	const uint8_t *head = p->head + sizeof(magic);
	uint32_t state, mels;

	if (p->n < sizeof(magic) + HEAD_NUMBERS * 4 || memcmp(p->head, magic, sizeof(magic)) != 0)
		return false;
	if (is_detector(load_u32le(head)))
		return memcmp(head + 4, "silero", 6) == 0 || is_parakeet(p->head, p->n);
	state = load_u32le(head + H_AUDIO_STATE * 4);
	mels = load_u32le(head + H_MELS * 4);
	return (state > 0 && state == load_u32le(head + H_TEXT_STATE * 4) && mels > 0 && mels <= MELS_MAX) ||
	       is_parakeet(p->head, p->n);
}

static enum wlk_status layout(struct layout *l)
{
	struct reader r = { .in = { .l = l, .cut = WLK_F_WHISPER_TRUNCATED },
		.l = l,
		.runs = { .l = l },
		.model.sizes = { [WHISPER_ONE] = 1, [WHISPER_THREE] = 3 } };
	uint32_t magic, first;
	size_t n = (size_t)min_u64(l->part.size, PROBE_BYTES);
	const uint8_t *head = part_pin(&l->part, 0, n);
	bool ok;

	if (head != NULL && is_parakeet(head, n)) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0); /* known, and not read */
		return WLK_BROKEN;
	}
	layout_raise_memory(l, UINT64_C(8) << 20); /* tables of a few thousand tensors */
	ok = sequence_u32(&r.in, &magic) && sequence_u32(&r.in, &first);
	r.in.pos = 4;
	ok = ok && (is_detector(first) ? read_detector(&r) : read_speech(&r)) && read_tensors(&r);
	if (!ok && !r.in.broken)
		return layout_stop(l);
	return r.in.broken ? WLK_BROKEN : runs_finish(&r.runs, WLK_F_WHISPER_TENSOR);
}

const struct wlk_format format_whisper = {
	.id = WLK_FORMAT_WHISPER, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
