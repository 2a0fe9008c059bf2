/* What is dangerous in a Keras configuration: formats/keras-hdf5, section 2.2, and the decisions at its end. */
#include <string.h>

#include "keras_config.h"
#include "tf_ops.h"
#include "text_rules.h"

static struct bytes word_bytes(const struct keras_word *w)
{
	return bytes_of(w->at, w->n);
}

static bool is_one_of(const struct keras_word *w, const char *const *names)
{
	for (; *names != NULL; names++) {
		if (keras_word_is(w, *names))
			return true;
	}
	return false;
}

/* `keras` or `keras.anything`. */
static bool is_module(const struct keras_word *w, const char *package)
{
	size_t n = strlen(package);

	return w->n >= n && memcmp(w->at, package, n) == 0 && (w->n == n || w->at[n] == '.');
}

static bool is_in(const struct keras_word *w, const char *const *packages)
{
	for (; *packages != NULL; packages++) {
		if (is_module(w, *packages))
			return true;
	}
	return false;
}

static void tell(struct layout *l, enum wlk_finding code, const struct keras_object *o, const struct keras_word *what)
{
	layout_finding(
	    l, &(struct finding){ .code = code, .has_offset = true, .offset = o->at, .subject = word_bytes(what) });
}

/* -- modules -- */

static const char *const keras_packages[] = { "keras", "keras_hub", "keras_nlp", "keras_cv", "tf_keras",
	"tensorflow.keras", "tensorflow.python.keras", NULL };

static const char *const dangerous_modules[] = { "os", "posix", "nt", "ntpath", "posixpath", "sys", "subprocess",
	"importlib", "runpy", "pty", "socket", "ssl", "shutil", "ctypes", "pickle", "_pickle", "cPickle", "dill",
	"cloudpickle", "marshal", "shelve", "joblib", "code", "codeop", "webbrowser", "http", "urllib", "urllib2",
	"requests", "ftplib", "smtplib", "telnetlib", "multiprocessing", "threading", "asyncio", "signal", "tempfile",
	"pathlib", "glob", "io", "_io", "zipfile", "tarfile", "builtins.exec", "commands", "popen2", "platform", "pdb",
	"bdb", "cProfile", "profile", "timeit", "trace", "inspect", "types", "gc", "site", "pip", "setuptools",
	"distutils", "venv", "ensurepip", "operator", "functools", "torch.hub", "torch.serialization", "numpy.f2py",
	"numpy.testing", "numpy.distutils", NULL };

/* What `builtins` holds besides functions that models name by their kind (decision 1). */
static const char *const dangerous_builtins[] = { "exec", "eval", "compile", "open", "__import__", "getattr", "setattr",
	"delattr", "globals", "locals", "vars", "input", "breakpoint", "print", "help", "exit", "quit", "memoryview",
	NULL };

static bool is_dangerous(const struct keras_object *o)
{
	if (keras_word_is(&o->module, "builtins"))
		return is_one_of(&o->class_name, dangerous_builtins) ||
		       is_one_of(&o->config_text, dangerous_builtins) || is_one_of(&o->spec_name, dangerous_builtins);
	return is_module(&o->module, "builtins") || is_in(&o->module, dangerous_modules);
}

/* Where the kinds of TensorFlow's tensors come from. */
static bool is_type_of_tensor(const struct keras_object *o)
{
	return keras_word_is(&o->class_name, "__typespec__") && is_module(&o->module, "tensorflow.python.framework") &&
	       o->spec_name.n > 4 && memcmp(o->spec_name.at + o->spec_name.n - 4, "Spec", 4) == 0;
}

static const uint8_t *package_end(const struct keras_word *name)
{
	return name->n > 0 ? memchr(name->at, '>', name->n) : NULL;
}

/* Keras itself registered its optimizers as custom objects for a while (TensorFlow 2.11). */
static const char *const own_customs[] = { "Custom>Adadelta", "Custom>Adafactor", "Custom>Adagrad", "Custom>Adam",
	"Custom>AdamW", "Custom>Adamax", "Custom>Ftrl", "Custom>Lion", "Custom>Nadam", "Custom>RMSprop", "Custom>SGD",
	NULL };

/* Of "package>Name". */
static bool is_keras_package(const struct keras_word *name, const uint8_t *end)
{
	struct keras_word package = { .set = true };

	if (is_one_of(name, own_customs))
		return true;
	package.n = (uint8_t)(end - name->at);
	memcpy(package.at, name->at, package.n);
	return is_in(&package, keras_packages) || keras_word_is(&package, "Keras");
}

static bool is_custom(const struct keras_word *name)
{
	const uint8_t *end = package_end(name);

	return end != NULL && !is_keras_package(name, end);
}

/* A custom object's module is the program's own: it is looked up by its registered name.  What Keras registered comes
 * from Keras: loaders import the module of a name that is not registered.  Return: is it Keras' own? */
static bool judge_module(struct layout *l, const struct keras_object *o)
{
	bool dangerous = is_dangerous(o);

	if (!dangerous && (o->module.n == 0 || is_custom(&o->registered_name) || is_type_of_tensor(o) ||
			      keras_word_is(&o->module, "builtins")))
		return !o->odd_module;
	if (!o->module.cut && is_in(&o->module, keras_packages))
		return true;
	tell(l, dangerous ? WLK_F_KERAS_MODULE_DANGEROUS : WLK_F_KERAS_MODULE_FOREIGN, o, &o->module);
	return false;
}

/* -- functions -- */

static const char *const nonmodeling[] = { "enable_unsafe_deserialization", "load_model", "save_model", "load_weights",
	"save_weights", "model_from_json", "model_from_yaml", "model_from_config", "deserialize_keras_object",
	"serialize_keras_object", "register_keras_serializable", "get_file", "load_img", "save_img", "array_to_img",
	"image_dataset_from_directory", "audio_dataset_from_directory", "text_dataset_from_directory",
	"timeseries_dataset_from_array", "clear_session", "set_global_attribute", "get_custom_objects", "deserialize",
	"serialize", "get", "from_config", "clone_model", "func_load", "func_dump", "import_module", NULL };

/* Where Keras keeps functions that a model is made of; those of any other module only by their name.  keras.src is not
 * among them: its modules hold whatever they import. */
static const char *const modelling_modules[] = { "keras.constraints", "keras.initializers", "keras.losses",
	"keras.metrics", "keras.regularizers", "tf_keras.activations", "tf_keras.constraints", "tf_keras.initializers",
	"tf_keras.losses", "tf_keras.metrics", "tf_keras.regularizers", "tensorflow.keras.activations",
	"tensorflow.keras.constraints", "tensorflow.keras.initializers", "tensorflow.keras.losses",
	"tensorflow.keras.metrics", "tensorflow.keras.regularizers", NULL };

static const char *const operations[] = { "keras.ops", "keras.activations", "keras.src.ops", "keras.src.activations",
	NULL };

/* Decision 1: activations, initializers, losses and metrics by their name. */
static const char *const known_functions[] = { "relu", "relu6", "sigmoid", "softmax", "softplus", "softsign", "tanh",
	"selu", "elu", "exponential", "linear", "gelu", "swish", "silu", "mish", "leaky_relu", "hard_sigmoid",
	"hard_silu", "hard_swish", "log_softmax", "celu", "glu", "hard_tanh", "hard_shrink", "log_sigmoid",
	"soft_shrink", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "tanh_shrink", "threshold", "mse",
	"mae", "mape", "msle", "mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
	"mean_squared_logarithmic_error", "binary_crossentropy", "categorical_crossentropy",
	"sparse_categorical_crossentropy", "kl_divergence", "kld", "poisson", "cosine_similarity", "hinge",
	"squared_hinge", "categorical_hinge", "huber", "log_cosh", "logcosh", "binary_focal_crossentropy",
	"categorical_focal_crossentropy", "ctc", "dice", "tversky", "circle", "accuracy", "binary_accuracy",
	"categorical_accuracy", "sparse_categorical_accuracy", "top_k_categorical_accuracy",
	"sparse_top_k_categorical_accuracy", "glorot_uniform", "glorot_normal", "he_uniform", "he_normal",
	"lecun_uniform", "lecun_normal", "zeros", "ones", "constant", "random_normal", "random_uniform",
	"truncated_normal", "orthogonal", "identity", "variance_scaling", "l1", "l2", "l1_l2", "gelu_approximate",
	NULL };

bool keras_is_operation(const struct keras_word *module, const struct keras_word *name)
{
	return (module->set && is_in(module, operations)) || (!module->set && is_one_of(name, known_functions));
}

static void judge_function(struct layout *l, const struct keras_object *o, const struct keras_word *name)
{
	bool keras = o->module.set && is_in(&o->module, keras_packages);

	if (is_one_of(name, nonmodeling))
		tell(l, WLK_F_KERAS_FUNCTION_NONMODELING, o, name);
	else if (keras && !is_in(&o->module, modelling_modules) && !is_in(&o->module, operations) &&
		 !is_one_of(name, known_functions))
		tell(l, WLK_F_KERAS_FUNCTION_NONMODELING, o, name);
	else if (!keras && !is_one_of(name, known_functions))
		tell(l, WLK_F_KERAS_BUILTIN_FUNCTION, o, name);
}

/* Loaders find a function under its own name too, as if it were a class. */
static bool is_named_function(const struct keras_object *o)
{
	return is_one_of(&o->class_name, nonmodeling) ||
	       (o->module.set && is_in(&o->module, keras_packages) && o->class_name.n > 0 &&
		   o->class_name.at[0] >= 'a' && o->class_name.at[0] <= 'z');
}

/* -- operations of TensorFlow -- */

void keras_find_node(struct bytes t, struct keras_word *ret)
{
	const uint8_t *at = memmem(t.at, t.n, "\"op\"", 4), *end = t.at + t.n, *close;

	at = at != NULL ? at + 4 : memmem(t.at, t.n, "op:", 3);
	at = at != NULL ? memchr(at, '"', (size_t)(end - at)) : NULL;
	close = at != NULL && ++at < end ? memchr(at, '"', (size_t)(end - at)) : NULL;
	*ret = (struct keras_word){ .set = close != NULL && close - at < (ptrdiff_t)KERAS_WORD_MAX };
	if (!ret->set)
		return;
	ret->n = (uint8_t)(close - at);
	memcpy(ret->at, at, ret->n);
}

/* Names of TensorFlow's interface that read, write, call back or load. */
static const char *const tf_functions[] = { "io.read_file", "io.write_file", "io.matching_files", "io.gfile",
	"io.write_graph", "read_file", "write_file", "py_function", "numpy_function", "py_func", "load_op_library",
	"load_library", "saved_model", "train", "summary", "distribute", "data", "compat.v1.py_func",
	"compat.v1.read_file", "compat.v1.write_file", "compat.v1.io", "compat.v1.gfile", "compat.v1.train",
	"compat.v1.data", "compat.v1.saved_model", "compat.v1.summary", "experimental", "debugging.experimental", "tpu",
	"sysconfig", "print", NULL };

/* `function` of a TFOpLambda, the `op` of a TensorFlowOpLayer. */
static void judge_operation(struct layout *l, const struct keras_object *o)
{
	static const char raw[] = "raw_ops.";
	const struct keras_word *f = &o->config_function_text;
	size_t skip = f->n > sizeof(raw) - 1 && memcmp(f->at, raw, sizeof(raw) - 1) == 0 ? sizeof(raw) - 1 : 0;
	const struct tf_op *op =
	    tf_op_find(o->config_node.set ? word_bytes(&o->config_node) : bytes_of(f->at + skip, (size_t)f->n - skip));

	tell(l, WLK_F_KERAS_TF_OP_LAMBDA, o, o->config_node.set ? &o->config_node : f);
	if (op != NULL)
		tell(l, op->code, o, o->config_node.set ? &o->config_node : f);
	else if (is_in(f, tf_functions))
		tell(l, WLK_F_KERAS_MODULE_DANGEROUS, o, f);
}

/* -- classes -- */

static void judge_lambda(struct layout *l, const struct keras_object *o)
{
	static const enum wlk_finding codes[] = {
		[KERAS_NO_FUNCTION] = WLK_F_KERAS_LAMBDA_CODE,
		[KERAS_FUNCTION_CODE] = WLK_F_KERAS_LAMBDA_CODE,
		[KERAS_FUNCTION_NAMED] = WLK_F_KERAS_LAMBDA_FUNCTION,
		[KERAS_FUNCTION_OWN] = WLK_F_KERAS_LAMBDA_OWN,
		[KERAS_FUNCTION_OPERATION] = WLK_F_KERAS_LAMBDA_BUILTIN,
	};
	enum keras_function kind = o->config_function;

	/* Keras 2 finds its own functions by a bare name, too. */
	if (kind == KERAS_FUNCTION_OWN && (is_one_of(&o->config_function_text, nonmodeling) ||
					      is_one_of(&o->config_function_text, dangerous_builtins)))
		kind = KERAS_FUNCTION_NAMED;
	tell(l, codes[kind], o, &o->class_name);
}

static const char *const lookups[] = { "StringLookup", "IntegerLookup", "IndexLookup", "TextVectorization", "Hashing",
	"HashedCrossing", "CategoryEncoding", "WordPieceTokenizer", "SentencePieceTokenizer", "BytePairTokenizer",
	NULL };

/* Those of models are called after them: BertTokenizer. */
static bool is_lookup(const struct keras_word *name)
{
	static const char end[] = "Tokenizer";
	const size_t n = sizeof(end) - 1;

	return is_one_of(name, lookups) || (name->n > n && memcmp(name->at + name->n - n, end, n) == 0);
}

static const char *const tf_operations[] = { "TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer", "ClassMethod",
	"InstanceMethod", "InstanceProperty", NULL };

static const char *const jax_layers[] = { "JaxLayer", "FlaxLayer", NULL };

static void judge_class(struct layout *l, const struct keras_object *o)
{
	if (keras_word_is(&o->class_name, "__lambda__"))
		tell(l, WLK_F_KERAS_LAMBDA_CODE, o, &o->class_name);
	else if (keras_word_is(&o->class_name, "Lambda"))
		judge_lambda(l, o);
	else if (keras_word_is(&o->class_name, "function"))
		judge_function(l, o, &o->config_text);
	else if (keras_word_is(&o->class_name, "TorchModuleWrapper"))
		tell(l, WLK_F_KERAS_TORCH_MODULE, o, &o->class_name);
	else if (keras_word_is(&o->class_name, "TFSMLayer"))
		tell(l, WLK_F_KERAS_TFSM_LAYER, o, &o->class_name);
	else if (is_one_of(&o->class_name, jax_layers))
		tell(l, WLK_F_KERAS_JAX_LAYER, o, &o->class_name);
	else if (is_one_of(&o->class_name, tf_operations))
		judge_operation(l, o);
	else if (keras_word_is(&o->class_name, "__typespec__") && !is_type_of_tensor(o))
		tell(l, WLK_F_KERAS_FUNCTION_NONMODELING, o, &o->spec_name); /* called with what config lists */
	else if (is_named_function(o))
		judge_function(l, o, &o->class_name);
	if (is_lookup(&o->class_name) && o->config_vocabulary_path)
		tell(l, WLK_F_KERAS_VOCABULARY_PATH, o, &o->class_name);
}

/* "layers.Lambda" of the module "keras": loaders join the two and look the whole up. */
static bool is_path(const struct keras_object *o)
{
	const struct keras_word *name = keras_word_is(&o->class_name, "function") ? &o->config_text : &o->class_name;

	return o->module.set && is_in(&o->module, keras_packages) && name->n > 0 && package_end(name) == NULL &&
	       memchr(name->at, '.', name->n) != NULL;
}

/* A function's registered name is its own. */
static bool is_own_name(const struct keras_object *o)
{
	const struct bytes name = word_bytes(&o->registered_name);

	return bytes_equal(name, word_bytes(&o->class_name)) ||
	       (keras_word_is(&o->class_name, "function") && bytes_equal(name, word_bytes(&o->config_text)));
}

/* "package>Name", or the class's own name; anything else says one thing and means another.  Old files have the former for
 * a class. */
static void judge_registered(struct layout *l, const struct keras_object *o)
{
	const struct keras_word *r = o->registered_name.n > 0 ? &o->registered_name : &o->class_name;
	bool builtin = o->module.set && is_in(&o->module, keras_packages);

	if (o->odd_class || is_custom(r))
		tell(l, WLK_F_KERAS_CUSTOM_OBJECT, o, r);
	else if (is_path(o) || (package_end(r) == NULL && builtin && r == &o->registered_name && !is_own_name(o)))
		tell(l, WLK_F_KERAS_REGISTERED_NAME, o, r);
}

/* Only what names a class is built; the rest are plain dictionaries. */
void keras_judge_object(struct layout *l, const struct keras_object *o)
{
	bool own;

	if (!o->class_name.set && !o->odd_class)
		return;
	if (o->odd_module)
		tell(l, WLK_F_KERAS_MODULE_FOREIGN, o, &o->class_name);
	own = judge_module(l, o);
	if (own || !keras_word_is(&o->class_name, "function"))
		judge_class(l, o);
	judge_registered(l, o);
}

/* -- strings -- */

#define EMBEDDED_MIN TEXT_CODE_MIN

/* Latin-1 as it stands: a code object's type and its number of arguments, or a pickle's first instruction. */
bool keras_is_raw_code(struct bytes t)
{
	static const uint8_t code[] = { 0xc3, 0xa3 }, pickle[] = { 0xc2, 0x80 };

	if (t.n < EMBEDDED_MIN)
		return false;
	if (memcmp(t.at, pickle, 2) == 0)
		return t.at[2] >= 2 && t.at[2] <= 5;
	return (t.at[0] == 'c' && memcmp(t.at + 2, "\0\0\0", 3) == 0) ||
	       (memcmp(t.at, code, 2) == 0 && memcmp(t.at + 3, "\0\0\0", 3) == 0);
}

static bool has_scheme(struct bytes t)
{
	static const char *const schemes[] = { "http://", "https://", "gs://", "s3://", "hdfs://", "file://", "ftp://",
		"gcs://", "hf://", "kaggle://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (t.n > n && strncasecmp((const char *)t.at, schemes[i], n) == 0)
			return true;
	}
	return false;
}

/* /a/b, C:\a, \\host: a lone slash in front is how some exporters name layers. */
static bool is_absolute(struct bytes t)
{
	if (t.n > 2 && t.at[0] == '/')
		return memchr(t.at + 1, '/', t.n - 1) != NULL && memchr(t.at, ' ', t.n) == NULL;
	return t.n > 3 && ((t.at[1] == ':' && t.at[2] == '\\') || (t.at[0] == '\\' && t.at[1] == '\\'));
}

void keras_judge_text(struct layout *l, struct bytes t, uint64_t n, uint64_t at)
{
	if (text_hides_code(t, n) || keras_is_raw_code(t))
		layout_at(l, WLK_F_KERAS_EMBEDDED_CODE, at);
	else if (has_scheme(t) || is_absolute(t))
		layout_finding(
		    l, &(struct finding){
			   .code = WLK_F_KERAS_PATH_IN_CONFIG, .has_offset = true, .offset = at, .subject = t });
}

/* K6. */
bool keras_is_sound_name(struct bytes t, bool first)
{
	if ((first && t.n > 0 && t.at[0] == '/') || memchr(t.at, '\\', t.n) != NULL ||
	    memmem(t.at, t.n, "..", 2) != NULL)
		return false;
	for (size_t i = 0; i < t.n; i++) {
		if (t.at[i] < 0x20)
			return false;
	}
	return true;
}
