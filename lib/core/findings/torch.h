/* Findings of the PyTorch readers (lib/formats/pytorch/pytorch*.c), in the order of formats/pytorch. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_TORCH(X)                                                                                          \
	X(TORCH_PREVIEW, "torch-preview-format", UNSUPPORTED, HIGH,                                                    \
	  "an archive in PyTorch's preview format",                                                                    \
	  "No loader of a released version reads it, so nobody can say what a reader would see.",                      \
	  "Load it with the version that wrote it and save it again.", "formats/pytorch, section 1")                   \
	X(TORCH_AMBIGUOUS, "torch-ambiguous-container", AMBIGUOUS, HIGH,                                               \
	  "a PyTorch file that is another container as well",                                                          \
	  "The loader decides by the first bytes and other tools by the last: they see two different files.",          \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 1")                                  \
	X(TORCH_NO_ROOT, "torch-no-root", MALFORMED, HIGH,                                                             \
	  "a member lies outside the archive's folder",                                                                \
	  "The loader looks for everything in one folder; what lies outside is seen only by other tools.",             \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_MULTIPLE_ROOTS, "torch-multiple-roots", AMBIGUOUS, HIGH,                                               \
	  "the archive has more than one folder",                                                                      \
	  "The loader reads the folder of the first entry, other tools read another one.",                             \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 8")                                  \
	X(TORCH_NO_DATAPKL, "torch-no-datapkl", MALFORMED, HIGH,                                                       \
	  "the archive has no data.pkl",                                                                               \
	  "Without it nothing says what the storages are.",                                                            \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4")                                  \
	X(TORCH_VERSION_MISSING, "torch-version-missing", QUALITY, MEDIUM,                                             \
	  "the archive does not say its version",                                                                      \
	  "Loaders of some versions refuse it; tools that write archives on their own leave it out.",                  \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_VERSION_INVALID, "torch-version-invalid", MALFORMED, HIGH,                                             \
	  "the archive's version is not one that readers take",                                                        \
	  "Loaders take 1 to 10 and refuse the rest, or guess.",                                                       \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_VERSION_DUPLICATE, "torch-version-duplicate", AMBIGUOUS, MEDIUM,                                       \
	  "the archive gives its version in two places",                                                               \
	  "Readers prefer one or the other.",                                                                          \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_BYTEORDER_INVALID, "torch-byteorder-invalid", MALFORMED, HIGH,                                         \
	  "the byte order is neither little nor big",                                                                  \
	  "Loaders refuse it, or take it for the machine's own.",                                                      \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_SERIALIZATION_ID, "torch-serialization-id", QUALITY, MEDIUM,                                           \
	  "the serialization id is not 40 digits",                                                                     \
	  "Writers put a hash there; anything else is data for somebody else.",                                        \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_FORMAT_VERSION, "torch-format-version", QUALITY, MEDIUM,                                               \
	  "the storage format's version is not one that is known",                                                     \
	  "Loaders compute offsets of storages from it.",                                                              \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_STORAGE_ALIGNMENT, "torch-storage-alignment", QUALITY, MEDIUM,                                         \
	  "the storage alignment is not a power of two from 1 to 65536",                                               \
	  "Loaders compute offsets of storages from it.",                                                              \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_MISALIGNED, "torch-misaligned", QUALITY, INFO,                                                         \
	  "storages do not begin at a multiple of the alignment",                                                      \
	  "The archive was packed again by another program; it loads, only slower.",                                   \
	  "Nothing to do.", "formats/pytorch, section 2")                                                              \
	X(TORCH_OFFSET_ORDER, "torch-offset-order", AMBIGUOUS, MEDIUM,                                                 \
	  "storages do not lie where a loader that computes their offsets looks",                                      \
	  "Such a loader reads other bytes as weights than one that follows the directory.",                           \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_PADDING_BYTES, "torch-padding-bytes", QUALITY, MEDIUM,                                                 \
	  "the padding before a storage holds other bytes than Z",                                                     \
	  "Padding is a place to hide data in.",                                                                       \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 9")                                  \
	X(TORCH_MEMBER_DEFLATED, "torch-member-deflated", QUALITY, INFO,                                               \
	  "members are compressed",                                                                                    \
	  "The archive was packed again by another program; torch.load(mmap=True) takes compressed bytes for weights.",\
	  "Load it without mmap, or save the checkpoint again with torch.save.", "formats/pytorch, section 2")         \
	X(TORCH_MAPPED_NONFINITE, "torch-mapped-nonfinite", QUALITY, MEDIUM,                                           \
	  "a compressed storage that is not finite to a loader that maps the file",                                    \
	  "torch.load(mmap=True), which some libraries use by themselves, takes compressed bytes for weights.",        \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 2")                                  \
	X(TORCH_UNKNOWN_MEMBER, "torch-unknown-member", UNSUPPORTED, MEDIUM,                                           \
	  "the archive holds a member that no loader knows",                                                           \
	  "Checkpoints have a fixed set of members; anything else was put there for somebody else.",                   \
	  "Publish such files beside the checkpoint instead of in it.", "formats/pytorch, section 2")                  \
	X(TORCH_HIDDEN_PICKLE, "torch-hidden-pickle", MALICIOUS, HIGH,                                                 \
	  "a pickle in the archive under a name that no loader knows",                                                 \
	  "Only a program that was told to look there loads it, past every check of the checkpoint.",                  \
	  "Remove the member.", "formats/pytorch, section 2")                                                          \
	X(TORCH_STORAGE_PICKLE, "torch-storage-pickle", QUALITY, INFO,                                                 \
	  "a storage holds a pickle",                                                                                  \
	  "Programs that keep objects in byte tensors load it later; what it would do is judged here.",                \
	  "Store the object in the checkpoint itself.", "formats/pytorch, section 8")                                  \
	X(TORCH_SCRIPT_CODE, "torch-script-code", CODE, HIGH,                                                          \
	  "the archive carries code",                                                                                  \
	  "TorchScript and exported programs run when they are loaded or called; weights do not.",                     \
	  "Publish the weights as a state dict, best as safetensors.", "formats/pytorch, section 2")                   \
	X(TORCH_SCRIPT_OPERATOR, "torch-script-operator", MALICIOUS, CRITICAL,                                         \
	  "the archive's code calls an operator that reads or writes files or runs foreign code",                      \
	  "Such operators work when the model is loaded or called, with the rights of whoever does it.",               \
	  "Remove the operator; a model computes and leaves files alone.", "formats/pytorch, section 2")               \
	X(TORCH_PACKAGE, "torch-package", CODE, HIGH,                                                                  \
	  "the archive is a torch.package",                                                                            \
	  "Packages carry Python source that runs when they are imported.",                                            \
	  "Publish the weights as a state dict, best as safetensors.", "formats/pytorch, section 2")                   \
	X(TORCH_PERSID_INVALID, "torch-persid-invalid", MALFORMED, HIGH,                                               \
	  "a persistent id is not a storage",                                                                          \
	  "The loader knows storages only; other ids are looked up by other programs.",                                \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 3")                                  \
	X(TORCH_STORAGE_CLASS, "torch-storage-class", UNSUPPORTED, MEDIUM,                                             \
	  "a storage of a class that is not known",                                                                    \
	  "Nobody can say what its bytes are.",                                                                        \
	  "Convert the tensors to types that PyTorch itself has.", "formats/pytorch, section 4")                       \
	X(TORCH_STORAGE_KEY, "torch-storage-key", MALFORMED, HIGH,                                                     \
	  "a storage's key is not a plain number",                                                                     \
	  "The key becomes a path in the archive: anything but digits leads elsewhere.",                               \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 1")                          \
	X(TORCH_STORAGE_NUMEL, "torch-storage-numel", MALFORMED, HIGH,                                                 \
	  "a storage's number of elements is no number of elements",                                                   \
	  "Negative and huge counts wrap in loaders that do not look.",                                                \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 7")                                  \
	X(TORCH_STORAGE_SIZE, "torch-storage-size", MALFORMED, CRITICAL,                                               \
	  "a storage has another size than its record in the file",                                                    \
	  "The loader's tensor reaches past the memory it was given (CVE-2026-24747).",                                \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 2")                          \
	X(TORCH_STORAGE_CONFLICT, "torch-storage-conflict", MALFORMED, HIGH,                                           \
	  "one storage is described in two ways",                                                                      \
	  "Class, length and place of a storage have to be the same wherever it is used.",                             \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 3")                          \
	X(TORCH_STORAGE_MISSING, "torch-storage-missing", MALFORMED, HIGH,                                             \
	  "a storage is not in the file",                                                                              \
	  "Tensors refer to bytes that do not exist.",                                                                 \
	  "Upload the whole file; save the checkpoint again with torch.save.", "formats/pytorch, section 4")           \
	X(TORCH_STORAGE_ORPHAN, "torch-storage-orphan", QUALITY, MEDIUM,                                               \
	  "a storage belongs to no tensor",                                                                            \
	  "Its bytes are weights to nobody: data that only a program told to look there finds.",                       \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4")                                  \
	X(TORCH_STORAGE_OPAQUE, "torch-storage-untyped-opaque", QUALITY, INFO,                                         \
	  "a storage of bytes that no tensor gives a type",                                                            \
	  "Its bytes are data; nothing can be said about non-finite elements.",                                        \
	  "Nothing to do.", "formats/pytorch, section 4")                                                              \
	X(TORCH_TENSOR_GEOMETRY, "torch-tensor-geometry", MALFORMED, HIGH,                                             \
	  "a tensor's offset, size or strides are impossible",                                                         \
	  "Negative, mismatched or overflowing numbers lead loaders outside the storage.",                             \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 4")                          \
	X(TORCH_TENSOR_BOUNDS, "torch-tensor-bounds", MALFORMED, CRITICAL,                                             \
	  "a tensor reaches past the end of its storage",                                                              \
	  "Reading it reads foreign memory, writing it corrupts that (CVE-2026-24747).",                               \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 5")                          \
	X(TORCH_TENSOR_EXPANDED, "torch-tensor-expanded", QUALITY, MEDIUM,                                             \
	  "a small storage poses as a huge tensor",                                                                    \
	  "The first operation that makes it contiguous takes all memory.",                                            \
	  "Save the tensor before it is expanded.", "formats/pytorch, section 4, rule 6")                              \
	X(TORCH_LOCATION, "torch-location", QUALITY, MEDIUM,                                                           \
	  "a storage was on a device of an unknown kind",                                                              \
	  "The location text selects a loading function.",                                                             \
	  "Move the tensors to the CPU before saving.", "formats/pytorch, section 4, rule 7")                          \
	X(TORCH_HOOKS, "torch-hooks", MALICIOUS, HIGH,                                                                 \
	  "a tensor carries hooks",                                                                                    \
	  "Hooks are functions that run when the tensor is used in training; torch.save writes none.",                 \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 8")                          \
	X(TORCH_METADATA, "torch-metadata", QUALITY, MEDIUM,                                                           \
	  "a tensor carries metadata other than conj and neg",                                                         \
	  "Loaders set whatever stands there on the tensor.",                                                          \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 4, rule 9")                          \
	X(TORCH_SPARSE_INVALID, "torch-sparse-invalid", MALFORMED, HIGH,                                               \
	  "a sparse tensor's indices do not fit its size",                                                             \
	  "Operations on it read and write foreign memory.",                                                           \
	  "Call coalesce() and save the checkpoint again.", "formats/pytorch, section 4, rule 10")                     \
	X(TORCH_QUANT_PARAMS, "torch-quant-params", MALFORMED, HIGH,                                                   \
	  "a quantised tensor's scale or zero point is impossible",                                                    \
	  "Scales are positive and finite, and the zero point lies within the type.",                                  \
	  "Quantise the model again.", "formats/pytorch, section 4, rule 11")                                          \
	X(TORCH_SUBCLASS, "torch-subclass", UNSUPPORTED, MEDIUM,                                                       \
	  "a tensor of a class of its own",                                                                            \
	  "Its class decides what happens when it is loaded and used.",                                                \
	  "Save plain tensors.", "formats/pytorch, section 3")                                                         \
	X(TORCH_CALL, "torch-call-unknown", UNSUPPORTED, MEDIUM,                                                       \
	  "a tensor is made by a call that PyTorch does not write",                                                    \
	  "Its numbers come from a list, an array or nowhere instead of a storage, and were not examined.",            \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 3")                                  \
	X(TORCH_STATE_ATTRIBUTE, "torch-state-attribute", MALICIOUS, HIGH,                                             \
	  "the state of a tensor sets one of the attributes that make it one",                                         \
	  "It is given other numbers, gradients or hooks than the checkpoint shows; no program saves those there.",    \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 3")                                  \
	X(TORCH_BYTEORDER_BIG, "torch-byteorder-big", AMBIGUOUS, MEDIUM,                                               \
	  "the storages are said to have the most significant byte first",                                             \
	  "Some releases swap the bytes and others load them as they stand: two readers see other numbers.",           \
	  "Load the checkpoint where it was written and save it as safetensors.", "formats/pytorch, section 2")        \
	X(TORCH_WEIGHTS_ONLY, "torch-opcode-outside-weights-only", QUALITY, INFO,                                      \
	  "torch.load(weights_only=True) refuses the file",                                                            \
	  "It was saved with a newer pickle protocol or with other objects than tensors; the full loader is needed.",  \
	  "Save a state dict with the default protocol.", "formats/pytorch, section 3")                                \
	X(TORCH_LEGACY_HEADER, "torch-legacy-header", MALFORMED, HIGH,                                                 \
	  "the header of a legacy checkpoint is not the one every writer makes",                                       \
	  "The first three pickles are constants; anything else in their place runs before the rest is read.",         \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 5")                                  \
	X(TORCH_LEGACY_KEYS, "torch-legacy-keys", MALFORMED, HIGH,                                                     \
	  "the list of storage keys does not match the storages in use",                                               \
	  "The list says which bytes belong to which tensor.",                                                         \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 5")                                  \
	X(TORCH_LEGACY_MODULE, "torch-legacy-module", CODE, HIGH,                                                      \
	  "a legacy checkpoint carries a module's source text",                                                        \
	  "The loader compares it with the installed source and may write it to disk.",                                \
	  "Publish the weights as a state dict.", "formats/pytorch, section 5")                                        \
	X(TORCH_LEGACY_TRUNCATED, "torch-legacy-truncated", MALFORMED, HIGH,                                           \
	  "the file ends inside a legacy checkpoint",                                                                  \
	  "Storages are missing.",                                                                                     \
	  "Upload the whole file; the transfer may have been cut.", "formats/pytorch, section 5")                      \
	X(TORCH_TRAILING_BYTES, "torch-trailing-bytes", MALFORMED, HIGH,                                               \
	  "bytes follow the end of the checkpoint",                                                                    \
	  "No loader reads them; they are there for somebody else.",                                                   \
	  "Save the checkpoint again with torch.save.", "formats/pytorch, section 5")                                  \
	X(TORCH_LEGACY_TAR, "torch-legacy-tar", UNSUPPORTED, HIGH,                                                     \
	  "a checkpoint in the tar format of PyTorch 0.1",                                                             \
	  "Loading it unpacks files and runs pickles even where weights only were asked for (CVE-2025-32434).",        \
	  "Load it once in a sandbox and save it again with torch.save.", "formats/pytorch, section 6")
/* clang-format on */
