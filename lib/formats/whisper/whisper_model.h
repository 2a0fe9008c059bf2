/* The models that whisper.cpp builds before it reads weights: sizes from the file's head, and from these the name, shape and
 * type of every tensor.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

#define WHISPER_RANK_MAX 4u
#define WHISPER_LAYERS_MAX 128u

/* What tables give dimensions by. */
enum whisper_size {
	WHISPER_ONE,
	WHISPER_THREE,
	WHISPER_VOCABULARY,
	WHISPER_MELS,
	WHISPER_AUDIO_CONTEXT,
	WHISPER_TEXT_CONTEXT,
	WHISPER_STATE,
	WHISPER_STATE_4,
	WHISPER_BASIS_WIDTH, /* of the detector's Fourier transform */
	WHISPER_BASIS,
	WHISPER_HIDDEN,
	WHISPER_HIDDEN_4,
	WHISPER_CHANNELS,                       /* into its first layer of convolution, then out of each */
	WHISPER_KERNELS = WHISPER_CHANNELS + 5, /* of each layer */
	WHISPER_SIZES = WHISPER_KERNELS + 4,
};

enum whisper_kind { WHISPER_SPEECH, WHISPER_DETECTOR };

struct whisper_model {
	enum whisper_kind kind;
	uint32_t matrix_type, convolution_type; /* of ggml */
	uint32_t sizes[WHISPER_SIZES];
	uint32_t encoder_layers, decoder_layers; /* of WHISPER_SPEECH */
};

struct whisper_tensor {
	uint32_t place;                   /* below whisper_tensors() */
	uint32_t type;                    /* of ggml */
	uint32_t shape[WHISPER_RANK_MAX]; /* the fastest first; 1 beyond the rank */
};

/* How many tensors the model has: at most a few thousand. */
uint32_t whisper_tensors(const struct whisper_model *m);

/* Is it one of them?  *ret only then. */
bool whisper_tensor_find(const struct whisper_model *m, struct bytes name, struct whisper_tensor *ret);
