/* PaddlePaddle's inference models: programs as protobuf (paddle.c, over the tables of paddle_schema.h and paddle_ops.h) and as
 * JSON (paddle_pir.c), and the parameters beside them (paddle_params.c).  What is saved for training is a pickle
 * (pickle_file.c).  Follows docs/formats/paddle.md. */
#pragma once

#include "format.h"
#include "json_file.h"

#define PADDLE_SIZE_MAX UINT64_C(2147483647) /* what protobuf can count */
#define PADDLE_BLOCKS_MAX 65536u
#define PADDLE_OPS_MAX (1u << 20)
#define PADDLE_RANK_MAX 64u

extern const struct wlk_format format_paddle, format_paddle_params;

/* A type of elements (VarType.Type).  Return: false: none of a tensor's. */
bool paddle_dtype(uint64_t type, enum wlk_dtype *ret);

/* A program in JSON: what is dangerous in it is looked for, and no more is known of it. */
extern const struct json_model json_model_paddle_pir;
