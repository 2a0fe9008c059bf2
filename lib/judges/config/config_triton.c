/* Triton's config.pbtxt: ModelConfig in protobuf's text format.  Follows triton-inference-server's core, src/backend_model.cc:
 * libtriton_BACKEND.so, or what `runtime` names, is looked for in the version's folder, the model's, then the server's
 * (GetBackendLibraryProperties()); src/repo_agent.cc; src/model.cc (label_filename); python_backend, src/python_be.cc: the backend
 * `python` runs model.py of the version's folder, in the environment that EXECUTION_ENV_PATH names. */
#include "config_impl.h"
#include "config_lines.h"

#define DEPTH_MAX 32u

struct triton {
	struct config_reader r;
	struct bytes names[DEPTH_MAX]; /* of the messages that are open */
	unsigned depth;
	struct bytes key, value; /* of the entry of parameters that is read; either may stand first */
	uint64_t value_at;
};

static void skip_blanks(struct config_reader *r)
{
	for (; r->at < r->text.n; r->at++) {
		uint8_t c = reader_peek(r);

		if (c == '#') {
			while (r->at < r->text.n && r->text.at[r->at] != '\n')
				r->at++;
			r->at -= r->at == r->text.n;
		} else if (memchr(" \t\r\n\f\v", c, 6) == NULL || c == 0) {
			break;
		}
	}
}

/* Strings that stand beside each other are one. */
static struct bytes take_string(struct triton *t)
{
	struct config_reader *r = &t->r;
	struct bytes first = { NULL, 0 }, next, part;
	uint8_t *joined;

	while (reader_peek(r) == '"' || reader_peek(r) == '\'') {
		if (!reader_string(r, false, true, &part))
			return first;
		next = config_unescape(r->c, part);
		skip_blanks(r);
		if (first.n == 0) {
			first = next;
			continue;
		}
		if (next.n == 0)
			continue;
		joined = arena_alloc(r->c->l->arena, first.n + next.n, 1);
		if (joined == NULL) {
			r->c->failed = true;
			return bytes_of(NULL, 0);
		}
		bytes_copy(joined, first);
		bytes_copy(joined + first.n, next);
		first = bytes_of(joined, first.n + next.n);
	}
	return first;
}

/* -- what is asked for -- */

/* Those that come with the server, and what the platform of old configurations says of them. */
static const char backends[] =
    "onnxruntime onnxruntime_onnx tensorrt tensorrt_plan pytorch pytorch_libtorch tensorflow tensorflow_savedmodel "
    "tensorflow_graphdef openvino ensemble dali fil vllm tensorrtllm identity square repeat armnn_tflite rapids_cudf "
    "caffe2_netdef";

static void judge_backend(struct config *c, struct bytes name, struct bytes field, uint64_t at)
{
	if (config_holds(name, "/") || config_holds(name, "\\") || config_holds(name, ".."))
		config_found(c, WLK_F_CONFIG_PATH_ESCAPE, name, field, at);
	else if (bytes_equal(name, bytes_of_text("python")))
		config_found(c, WLK_F_CONFIG_AUTO_MAP, bytes_of_text("model.py (Triton's backend python)"), field, at);
	else if (name.n > 0 && !config_is_word_of(name, backends)) /* libtriton_NAME.so, of the model's folder first */
		config_found(c, WLK_F_CONFIG_LIBRARY_VENDOR, name, field, at);
}

/* What is written when the server has filled in the configuration: nothing, the library of a backend, or model.py where the server
 * has the backend as Python (kPythonFilename). */
static void judge_runtime(struct config *c, struct bytes name, struct bytes field, uint64_t at)
{
	static const char begin[] = "libtriton_", end[] = ".so";
	size_t around = strlen(begin) + strlen(end);

	if (name.n == 0 || bytes_equal(name, bytes_of_text("model.py")))
		return;
	if (config_begins(name, begin) && config_ends(name, end) && name.n > around)
		judge_backend(c, bytes_of(name.at + strlen(begin), name.n - around), field, at);
	else
		config_found(c, WLK_F_CONFIG_LIBRARY, name, field, at);
}

/* A tar of programs and libraries, unpacked and used by the stub process. */
static void judge_environment(struct config *c, struct bytes path, uint64_t at)
{
	static const char folder[] = "$$TRITON_MODEL_DIRECTORY/";
	bool own = config_begins(path, folder) &&
		   config_path_fault(bytes_of(path.at + strlen(folder), path.n - strlen(folder))) == 0;

	config_found(c, own ? WLK_F_CONFIG_LIBRARY_VENDOR : WLK_F_CONFIG_LIBRARY, path,
	    bytes_of_text("parameters.EXECUTION_ENV_PATH"), at);
}

static bool in_parameters(const struct triton *t)
{
	return t->depth > 0 && bytes_equal(t->names[0], bytes_of_text("parameters"));
}

static void judge_text(struct triton *t, struct bytes field, struct bytes text, uint64_t at)
{
	struct config *c = t->r.c;

	if (text.n > 0 && bytes_equal(field, bytes_of_text("op_library_filename"))) /* dlopen()ed */
		config_found(c, WLK_F_CONFIG_LIBRARY, text, field, at);
	else if (t->depth == 0 && bytes_equal(field, bytes_of_text("runtime")))
		judge_runtime(c, text, field, at);
	else if (config_is_word_of(field, "label_filename input_data_file"))
		config_read_path(c, text, field, at);
	else if (t->depth > 0 && bytes_equal(t->names[0], bytes_of_text("cc_model_filenames")))
		config_read_path(c, text, t->names[0], at);
	else if (t->depth > 0 && bytes_equal(t->names[0], bytes_of_text("model_repository_agents")) &&
		 bytes_equal(field, bytes_of_text("name")) && !bytes_equal(text, bytes_of_text("checksum")))
		config_found(c, WLK_F_CONFIG_LIBRARY_VENDOR, text, bytes_of_text("model_repository_agents"), at);
	else if (t->depth == 0 && config_is_word_of(field, "backend platform"))
		judge_backend(c, text, field, at);
	else if (t->depth == 0 && bytes_equal(field, bytes_of_text("default_model_filename")))
		config_read_path(c, text, field, at);
	else if (t->depth == 1 && in_parameters(t) && bytes_equal(field, bytes_of_text("key")))
		t->key = text;
	else if (in_parameters(t) && bytes_equal(field, bytes_of_text("string_value")))
		t->value = text, t->value_at = at;
	else
		config_value(c, CONFIG_TEXT, config_lives(field), config_lives(text), at);
}

static void end_parameter(struct triton *t)
{
	if (bytes_equal(t->key, bytes_of_text("EXECUTION_ENV_PATH")))
		judge_environment(t->r.c, t->value, t->value_at);
	else if (config_is_library(t->value)) /* TRITON_BATCH_STRATEGY_PATH, CPU_EXTENSION_PATH */
		config_found(t->r.c, WLK_F_CONFIG_LIBRARY, t->value, t->key, t->value_at);
	else if (bytes_equal(t->key, bytes_of_text("executor_worker_path")) && t->value.n > 0 &&
		 !config_begins(t->value, "/opt/tritonserver/backends/tensorrtllm/") && !config_begins(t->value, "${"))
		config_found(t->r.c, WLK_F_CONFIG_COMMAND, t->value, t->key, t->value_at);
	else if (t->value.n > 0)
		config_value(t->r.c, CONFIG_TEXT, config_lives(t->key), config_lives(t->value), t->value_at);
	t->key = t->value = bytes_of(NULL, 0);
}

/* -- the text format -- */

static bool open_message(struct triton *t, struct bytes field)
{
	t->r.at++;
	if (t->depth == DEPTH_MAX) {
		config_found(t->r.c, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), field, t->r.at);
		return false;
	}
	t->names[t->depth++] = field;
	return true;
}

static bool take_value(struct triton *t, struct bytes field)
{
	struct config_reader *r = &t->r;
	uint64_t at;

	skip_blanks(r);
	at = r->at;
	if (reader_peek(r) == '"' || reader_peek(r) == '\'') {
		struct bytes text = take_string(t);

		judge_text(t, field, text, at);
		if (r->at == at)
			r->at++;
		return true;
	}
	if (reader_peek(r) == '{' || reader_peek(r) == '<')
		return open_message(t, field);
	if (reader_peek(r) == '[')
		r->at++; /* what is in it are values of the same field */
	else
		while (config_is_word_byte(reader_peek(r)) ||
		       (reader_peek(r) != 0 && memchr("+-.", reader_peek(r), 3) != NULL))
			r->at++;
	return true;
}

static struct bytes take_field(struct config_reader *r)
{
	size_t from = r->at;

	while (config_is_word_byte(reader_peek(r)))
		r->at++;
	return reader_since(r, from);
}

/* Fields in order; a stray byte is no field, and what follows it is read all the same. */
static bool take_entry(struct triton *t, struct bytes *field)
{
	struct config_reader *r = &t->r;
	uint8_t c = reader_peek(r);

	if (config_is_word_byte(c)) {
		*field = take_field(r);
		skip_blanks(r);
		if (reader_peek(r) != ':' && reader_peek(r) != '{' && reader_peek(r) != '<')
			return true;
		r->at += reader_peek(r) == ':';
		return take_value(t, *field);
	}
	if (c == '"' || c == '\'' || c == '{' || c == '<')
		return take_value(t, *field);
	if ((c == '}' || c == '>') && t->depth > 0) {
		if (t->depth == 1 && in_parameters(t))
			end_parameter(t);
		*field = t->names[--t->depth];
	}
	r->at++;
	return true;
}

void config_read_triton(struct config *c, struct bytes text)
{
	struct triton t = { .r = { .c = c, .text = text } };
	struct bytes field = { NULL, 0 };

	config_open(c, CONFIG_MAP, config_no_key, 0);
	while (!c->failed) {
		skip_blanks(&t.r);
		if (t.r.at >= text.n || !take_entry(&t, &field))
			break;
	}
	end_parameter(&t);
}
