/* See program.h.  A library is opened by whoever is told its name, and says by the entry that it has for whom it was made: these are
 * the names that loaders ask dlsym() for (CPython Python/importdl.c; onnxruntime core/session/custom_ops.cc; triton core
 * src/backend_manager.cc and src/repo_agent.cc; PyTorch aoti_runner/model_container_runner.cpp and library.h; tensorflow
 * c/kernels.h; tflite delegates/external; ggml-backend-reg.cpp; TensorRT NvInferPluginUtils.h; TVM runtime/library_module.cc;
 * openvino core/extension.hpp).  Whatever it has, the finding is the same. */
#include "program.h"

static const struct {
	const char *entry, *loader;
} entries[] = {
	{ "PyInit_", "Python would import it" },
	{ "RegisterCustomOps", "ONNX Runtime would load it for custom operators" },
	{ "TRITONBACKEND_", "Triton would load it as a backend" },
	{ "TRITONREPOAGENT_", "Triton would load it as a repository agent" },
	{ "AOTInductorModelContainer", "PyTorch would load it as a compiled model (AOTInductor)" },
	{ "torch7Library", "torch.ops.load_library() would load it" },
	{ "tflite_plugin_create_delegate", "TensorFlow Lite would load it as a delegate" },
	{ "TF_RegisterKernelBuilder", "TensorFlow would load it for custom operators" },
	{ "10tensorflow", "TensorFlow would load it for custom operators" },
	{ "ggml_backend_init", "llama.cpp would load it as a backend" },
	{ "getPluginCreators", "TensorRT would load it for plug-ins" },
	{ "initLibNvInferPlugins", "TensorRT would load it for plug-ins" },
	{ "__tvm_", "TVM would load it as a compiled model" },
	{ "create_extensions", "OpenVINO would load it as an extension" },
	{ "JNI_OnLoad", "Java would load it" },
};

/* Who runs what has no such entry, or can have none. */
static const char library[] =
    "PyTorch, ONNX Runtime, TensorFlow, Triton, llama.cpp or Python would load it where its name is given";
static const char program[] = "whoever starts it would run it";

static bool is_elf_library(struct bytes b)
{
	bool wide = b.n >= 64 && b.at[4] == 2, little = b.n >= 64 && b.at[5] == 1;
	uint64_t at = !little ? 0 : wide ? load_u64le(b.at + 32) : load_u32le(b.at + 28);
	size_t size = wide ? 56 : 32, n = !little ? 0 : load_u16le(b.at + (wide ? 56 : 44));

	if (!little || load_u16le(b.at + 16) != 3) /* ET_DYN */
		return b.n >= 18 && b.at[16] == 0 && b.at[17] == 3;
	for (; n > 0 && at < b.n && b.n - at >= size; n--, at += size)
		if (load_u32le(b.at + at) == 3) /* PT_INTERP: it is started */
			return false;
	return true;
}

/* IMAGE_FILE_DLL of the characteristics behind "PE\0\0". */
static bool is_pe_library(struct bytes b)
{
	uint32_t at = b.n >= 64 ? load_u32le(b.at + 60) : 0;

	return at < b.n && b.n - at >= 24 && (load_u16le(b.at + at + 22) & 0x2000) != 0;
}

/* MH_DYLIB, MH_BUNDLE; of several architectures the first one's header may be far away. */
static bool is_macho_library(struct bytes b)
{
	uint32_t type = b.n < 16 ? 0 : b.at[0] >= 0xfe ? load_u32be(b.at + 12) : load_u32le(b.at + 12);

	return type == 6 || type == 8 || (b.n > 0 && b.at[0] == 0xca);
}

static const char *loader_by_entry(struct bytes b)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (memmem(b.at, b.n, entries[i].entry, strlen(entries[i].entry)) != NULL)
			return entries[i].loader;
	return library;
}

static const char *loader_of(enum wlk_format_id id, struct bytes b)
{
	switch (id) {
	case WLK_FORMAT_LLAMAFILE:
		return "whoever starts it would run it, and llama.cpp would load the GGUF in it, which was not judged";
	case WLK_FORMAT_ELF: return is_elf_library(b) ? loader_by_entry(b) : program;
	case WLK_FORMAT_PE: return is_pe_library(b) ? loader_by_entry(b) : program;
	case WLK_FORMAT_MACHO: return is_macho_library(b) ? loader_by_entry(b) : program;
	case WLK_FORMAT_PYTHON_BYTECODE: return "Python would import it as it would its source";
	case WLK_FORMAT_LUA_BYTECODE: return "Lua's require() and dofile() would run it";
	case WLK_FORMAT_LLVM_BITCODE: return "compilers would make it part of a program, and TVM or lli would run it";
	case WLK_FORMAT_WASM: return "a browser or a WebAssembly runtime would run it";
	case WLK_FORMAT_DEX: return "Android would run it";
	default: return program;
	}
}

struct bytes program_words(enum wlk_format_id id, struct bytes head, uint8_t buf[REPORT_STRING_MAX])
{
	struct bytes parts[] = { bytes_of_text(format_info(id)->name), bytes_of_text("; "),
		bytes_of_text(loader_of(id, head)) };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) { /* both are short */
		bytes_copy(buf + n, parts[i]);
		n += parts[i].n;
	}
	return bytes_of(buf, n);
}
