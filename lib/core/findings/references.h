/* Public advisories that a finding answers: the files they describe raise it.  Numbers of the CVE and GHSA lists, each once,
 * in order, a blank between; a finding without any has no row.  A number stands where its own file, or the sheet of its format
 * (docs/formats), shows what it is about; most scanners' advisories are one more dangerous name, and share a code.  Only add.
 *
 * R(name, numbers) */
#pragma once

/* clang-format off */
#define WLK_REFERENCES(R)                                                                                              \
	/* configurations */                                                                                           \
	R(CONFIG_REMOTE_CODE, "CVE-2026-4372 CVE-2026-5241")                                                           \
	R(CONFIG_REMOTE_CODE_GATED, "CVE-2026-27893")                                                                  \
	R(CONFIG_AUTO_MAP, "CVE-2026-45804")                                                                           \
	R(CONFIG_CODE_FILE, "CVE-2026-5843")                                                                           \
	R(CONFIG_CODE_IN_SET, "CVE-2026-5843")                                                                         \
	R(CONFIG_TRUST_FLAG, "CVE-2026-5241")                                                                          \
	R(CONFIG_IMPORT, "GHSA-w582-9x45-8mpx")                                                                        \
	R(CONFIG_TARGET, "CVE-2025-23304 CVE-2025-58756")                                                              \
	R(CONFIG_DIGEST, "CVE-2024-37032 CVE-2026-7020")                                                               \
	R(YAML_PYTHON_TAG, "CVE-2021-37678")                                                                           \
	/* templates */                                                                                                \
	R(TEMPLATE_DUNDER, "CVE-2024-34359")                                                                           \
	R(TEMPLATE_INTROSPECTION, "CVE-2024-34359")                                                                    \
	R(GGUF_TEMPLATE_DUNDER, "CVE-2024-2952 CVE-2024-34359")                                                        \
	R(GGUF_TEMPLATE_INTROSPECTION, "CVE-2024-2952 CVE-2024-34359")                                                 \
	/* pickles: names and calls */                                                                                 \
	R(PICKLE_GLOBAL_DANGEROUS,                                                                                     \
	  "CVE-2020-13091 CVE-2023-6730 CVE-2023-7018 CVE-2024-39705 CVE-2024-48063 CVE-2024-5480 CVE-2025-10155 "     \
	  "CVE-2025-10157 CVE-2025-14922 CVE-2025-14924 CVE-2025-14930 CVE-2025-1716 CVE-2025-24357 CVE-2025-27780 "   \
	  "CVE-2025-46417 CVE-2025-67729 CVE-2025-71325 CVE-2025-71354 CVE-2026-31238 CVE-2026-31253 "                 \
	  "GHSA-3gf5-cxq9-w223 GHSA-3vg9-h568-4w9m GHSA-4675-36f9-wf6r GHSA-46h3-79wf-xr6c GHSA-49gj-c84q-6qm9 "       \
	  "GHSA-4r9r-ch6f-vxmx GHSA-4whj-rm5r-c2v8 GHSA-5cxw-w2xg-2m8h GHSA-5hwf-rc88-82xm GHSA-5j3x-jp52-966f "       \
	  "GHSA-655q-fx9r-782v GHSA-84r2-jw7c-4r5q GHSA-89gg-p5r5-q6r4 GHSA-97f8-7cmv-76j2 GHSA-9gvj-pp9x-gcfr "       \
	  "GHSA-9xph-j2h6-g47v GHSA-f54q-57x4-jg88 GHSA-f7qq-56ww-84cr GHSA-g344-hcph-8vgg GHSA-g38g-8gr9-h9xp "       \
	  "GHSA-hgrh-qx5j-jfwx GHSA-j343-8v2j-ff7w GHSA-m6fh-58r7-x697 GHSA-p523-jq9w-64x9 GHSA-q5qq-mvfm-j35x "       \
	  "GHSA-q77w-mwjj-7mqx GHSA-r48f-3986-4f9c GHSA-r7v6-mfhq-g3m2 GHSA-r8g5-cgf2-4m4m GHSA-vqmv-47xg-9wpr "       \
	  "GHSA-x696-vm39-cp64")                                                                                       \
	R(PICKLE_GLOBAL_UNKNOWN, "CVE-2022-21797 GHSA-pc6j-px3p-rrj4")                                                 \
	R(PICKLE_GLOBAL_DYNAMIC, "GHSA-9m3x-qqw2-h32h")                                                                \
	R(PICKLE_CALLEE_DYNAMIC, "GHSA-46h3-79wf-xr6c GHSA-5hvc-6wx8-mvv4 GHSA-84r2-jw7c-4r5q")                        \
	R(PICKLE_METHOD_ON_OBJECT, "CVE-2026-24747")                                                                   \
	R(PICKLE_NESTED, "GHSA-f54q-57x4-jg88")                                                                        \
	R(PICKLE_MEMO_MISSING, "GHSA-9gvj-pp9x-gcfr")                                                                  \
	R(PICKLE_OPERAND, "GHSA-9m3x-qqw2-h32h")                                                                       \
	R(NPY_OBJECT_PICKLE, "CVE-2019-6446")                                                                          \
	R(ARROW_PY_EXTENSION, "CVE-2023-47248")                                                                        \
	R(SKOPS_CALL_NODE, "CVE-2025-54413")                                                                           \
	R(SKOPS_NOT_ZIP, "CVE-2025-54886")                                                                             \
	/* PyTorch */                                                                                                  \
	R(TORCH_HIDDEN_PICKLE, "CVE-2025-1889")                                                                        \
	R(TORCH_SCRIPT_CODE, "CVE-2022-45907")                                                                         \
	R(TORCH_STORAGE_SIZE, "CVE-2026-24747")                                                                        \
	R(TORCH_LEGACY_TAR, "CVE-2025-32434")                                                                          \
	/* ZIP and tar */                                                                                              \
	R(ZIP_NAME_MISMATCH, "CVE-2025-1944")                                                                          \
	R(ZIP_FLAGS_MISMATCH, "CVE-2025-1945")                                                                         \
	R(ZIP_CRC, "CVE-2025-10156")                                                                                   \
	R(ZIP_OVERLAP, "CVE-2019-13232 CVE-2024-0450")                                                                 \
	R(ZIP_NAME_TRAVERSAL, "CVE-2023-48299 CVE-2026-12479 CVE-2026-21851")                                          \
	R(TAR_NAME_TRAVERSAL, "CVE-2024-0129 CVE-2024-5187 CVE-2025-23303")                                            \
	R(MAR_HANDLER_CODE, "CVE-2023-43654")                                                                          \
	/* GGUF */                                                                                                     \
	R(GGUF_TENSOR_COUNT, "CVE-2024-21836")                                                                         \
	R(GGUF_KV_COUNT, "CVE-2024-23605 CVE-2024-25664")                                                              \
	R(GGUF_KEY_LENGTH, "CVE-2024-25665")                                                                           \
	R(GGUF_VALUE_TYPE, "CVE-2024-25666")                                                                           \
	R(GGUF_ARRAY_LENGTH, "CVE-2024-21825 CVE-2024-25667 CVE-2024-25668")                                           \
	R(GGUF_STRING_LENGTH, "CVE-2024-23496 CVE-2025-49847 GHSA-8wwf-w4qm-gpqr")                                     \
	R(GGUF_TENSOR_SIZE_OVERFLOW, "CVE-2024-21802 CVE-2025-53630 CVE-2026-27940 CVE-2026-33298")                    \
	R(GGUF_TRUNCATED, "CVE-2026-7482")                                                                             \
	R(GGUF_TYPE_UNKNOWN, "CVE-2024-42477 CVE-2024-42478 CVE-2024-42479")                                           \
	R(GGUF_HPARAM_ZERO, "CVE-2024-8063")                                                                           \
	/* HDF5 and Keras */                                                                                           \
	R(H5_DATATYPE, "CVE-2016-4330 CVE-2016-4333")                                                                  \
	R(H5_STRUCTURE, "CVE-2018-17432 CVE-2018-17437 CVE-2021-46243")                                                \
	R(H5_ADDRESS_SIZE, "CVE-2025-2923 CVE-2025-6516")                                                              \
	R(H5_HEAP, "CVE-2025-2924")                                                                                    \
	R(H5_EXTERNAL_LINK, "CVE-2026-1669 GHSA-3m4q-jmj6-r34q")                                                       \
	R(H5_EXTERNAL_STORAGE, "CVE-2026-1669 GHSA-3m4q-jmj6-r34q")                                                    \
	R(H5_VIRTUAL_DATASET, "CVE-2026-1669 GHSA-3m4q-jmj6-r34q")                                                     \
	R(H5_SHAPE_BOMB, "CVE-2026-0897")                                                                              \
	R(KERAS_ASSET_TRAVERSAL, "CVE-2026-12479")                                                                     \
	R(KERAS_LAMBDA_CODE, "CVE-2024-3660 CVE-2025-9905")                                                            \
	R(KERAS_LAMBDA_FUNCTION, "CVE-2024-3660")                                                                      \
	R(KERAS_MODULE_DANGEROUS, "CVE-2025-1550")                                                                     \
	R(KERAS_MODULE_FOREIGN, "CVE-2025-1550")                                                                       \
	R(KERAS_FUNCTION_NONMODELING, "CVE-2025-8747 CVE-2025-9906")                                                   \
	R(KERAS_TORCH_MODULE, "CVE-2025-49655")                                                                        \
	R(KERAS_TFSM_LAYER, "CVE-2026-1462 GHSA-4f3f-g24h-fr8m")                                                       \
	R(KERAS_VOCABULARY_PATH, "CVE-2025-12058")                                                                     \
	R(KERAS_YAML, "CVE-2021-37678")                                                                                \
	/* others */                                                                                                   \
	R(NPY_NDIM, "CVE-2021-33430")                                                                                  \
	R(NPY_HEADER_KEYS, "CVE-2025-62608")                                                                           \
	R(ONNX_EXTERNAL_TRAVERSAL, "CVE-2022-25882 CVE-2024-27318 CVE-2025-51480")                                     \
	R(ONNX_EXTERNAL_KEY, "CVE-2026-34445 GHSA-538c-55jv-c5g9")                                                     \
	R(ONNX_RAW_SIZE, "CVE-2024-27319")                                                                             \
	R(RDS_CODE, "CVE-2024-27322")                                                                                  \
	R(TFLITE_INDEX, "CVE-2020-15211 CVE-2021-29605 CVE-2022-23558")                                                \
	R(TFLITE_SUBGRAPH_CYCLE, "CVE-2021-29591")
/* clang-format on */
