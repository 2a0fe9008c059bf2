/* Findings of the HDF5 reader (lib/formats/hdf5/h5*.c), in the order of formats/keras-hdf5, section 4. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_HDF5(X)                                                                                           \
	X(H5_USER_BLOCK, "h5-user-block", AMBIGUOUS, HIGH,                                                             \
	  "bytes in front of the HDF5 file",                                                                           \
	  "HDF5 readers search for their signature, others begin at the front: the file is two.",                      \
	  "Write the file without a user block.", "formats/keras-hdf5, H1")                                            \
	X(H5_SUPERBLOCK_VERSION, "h5-superblock-version", UNSUPPORTED, MEDIUM,                                         \
	  "a version of HDF5's superblock that this build does not read",                                              \
	  "Nothing behind it was examined.",                                                                           \
	  "Write the file with a released version of HDF5.", "formats/keras-hdf5, decision 5")                         \
	X(H5_ADDRESS_SIZE, "h5-address-size", UNSUPPORTED, HIGH,                                                       \
	  "addresses or lengths of another size than eight bytes",                                                     \
	  "No writer of models uses them; readers mix them up.",                                                       \
	  "Write the file with h5py.", "formats/keras-hdf5, section 4")                                                \
	X(H5_TRAILING_BYTES, "h5-trailing-bytes", AMBIGUOUS, HIGH,                                                     \
	  "bytes behind the end that the superblock states",                                                           \
	  "HDF5 readers never look there; another file can hide in them.",                                             \
	  "Write the file with h5py.", "formats/keras-hdf5, H1")                                                       \
	X(H5_TRUNCATED, "h5-truncated", MALFORMED, HIGH,                                                               \
	  "the file ends before the end that the superblock states",                                                   \
	  "The transfer may have been cut.",                                                                           \
	  "Upload the whole file.", "formats/keras-hdf5, H1")                                                          \
	X(H5_DRIVER, "h5-driver", MALICIOUS, HIGH,                                                                     \
	  "a driver that keeps data in other files",                                                                   \
	  "Opening the file reads files of the machine it is opened on.",                                              \
	  "Write one file with h5py's default driver.", "formats/keras-hdf5, section 4.1")                             \
	X(H5_FLAGS, "h5-flags", QUALITY, INFO,                                                                         \
	  "the file says that a writer has it open",                                                                   \
	  "A program that was stopped leaves this mark; readers may refuse the file.",                                 \
	  "Close the file after writing, or clear the mark with h5clear.", "formats/keras-hdf5, decision 7")           \
	X(H5_CHECKSUM, "h5-checksum", MALFORMED, HIGH,                                                                 \
	  "a structure does not fit its checksum",                                                                     \
	  "It was changed or damaged.",                                                                                \
	  "Upload the file as it was written.", "formats/keras-hdf5, H1")                                              \
	X(H5_STRUCTURE, "h5-structure", MALFORMED, HIGH,                                                               \
	  "a structure that is not what its place says",                                                               \
	  "Readers that go on read memory they should not.",                                                           \
	  "Write the file with h5py.", "formats/keras-hdf5, decision 6")                                               \
	X(H5_ADDRESS, "h5-address", MALFORMED, HIGH,                                                                   \
	  "an address outside the file",                                                                               \
	  "Readers that trust it read memory they should not.",                                                        \
	  "Write the file with h5py.", "formats/keras-hdf5, decision 6")                                               \
	X(H5_UNKNOWN_MESSAGE, "h5-unknown-message", UNSUPPORTED, MEDIUM,                                               \
	  "an object has a message of unknown type",                                                                   \
	  "What it means is unknown; newer readers act on it.",                                                        \
	  "Write the file with a released version of HDF5.", "formats/keras-hdf5, section 4.2")                        \
	X(H5_SHARED_MESSAGE, "h5-shared-message", UNSUPPORTED, MEDIUM,                                                 \
	  "a part of an object is kept elsewhere in the file",                                                         \
	  "Writers of models do not share messages or commit types.",                                                  \
	  "Write the file with h5py's defaults.", "formats/keras-hdf5, H9")                                            \
	X(H5_NIL_DATA, "h5-nil-data", QUALITY, INFO,                                                                   \
	  "deleted parts of an object still hold bytes",                                                               \
	  "Nobody reads them.",                                                                                        \
	  "Repack the file (h5repack).", "formats/keras-hdf5, section 4.2")                                            \
	X(H5_HEAP, "h5-heap", MALFORMED, HIGH,                                                                         \
	  "a heap whose objects do not fit in it, or a reference to none of them",                                     \
	  "Readers that trust it read memory they should not.",                                                        \
	  "Write the file with h5py.", "formats/keras-hdf5, section 4.3")                                              \
	X(H5_DATATYPE, "h5-datatype", UNSUPPORTED, MEDIUM,                                                             \
	  "a data set of a type whose elements are not examined",                                                      \
	  "Compound, reference and variable types hold what no model needs.",                                          \
	  "Keep weights as arrays of numbers.", "formats/keras-hdf5, section 4.4")                                     \
	X(H5_EXTERNAL_LINK, "h5-external-link", MALICIOUS, CRITICAL,                                                   \
	  "a link to another file",                                                                                    \
	  "Loading follows it to files of the machine it runs on (CVE-2026-1669).",                                    \
	  "Write all data into one file.", "formats/keras-hdf5, H2")                                                   \
	X(H5_SOFT_LINK, "h5-soft-link", AMBIGUOUS, HIGH,                                                               \
	  "a symbolic link",                                                                                           \
	  "The same weights appear under two names, or none; Keras refuses it.",                                       \
	  "Write the file without links.", "formats/keras-hdf5, H3")                                                   \
	X(H5_USER_LINK, "h5-user-link", MALICIOUS, HIGH,                                                               \
	  "a link of a user-defined kind",                                                                             \
	  "Following it runs a handler of the program that reads the file.",                                           \
	  "Write the file without links.", "formats/keras-hdf5, H3")                                                   \
	X(H5_EXTERNAL_STORAGE, "h5-external-storage", MALICIOUS, CRITICAL,                                             \
	  "a data set whose bytes are in another file",                                                                \
	  "Loading reads any file of the machine it runs on into the weights (CVE-2026-1669).",                        \
	  "Write all data into one file.", "formats/keras-hdf5, H4")                                                   \
	X(H5_VIRTUAL_DATASET, "h5-virtual-dataset", MALICIOUS, CRITICAL,                                               \
	  "a virtual data set, made of parts of other files",                                                          \
	  "Loading reads files of the machine it runs on into the weights.",                                           \
	  "Write all data into one file.", "formats/keras-hdf5, H5")                                                   \
	X(H5_LAYOUT, "h5-layout", MALFORMED, HIGH,                                                                     \
	  "a data set whose storage cannot be as it is described",                                                     \
	  "Readers place its elements where they are not.",                                                            \
	  "Write the file with h5py.", "formats/keras-hdf5, H6")                                                       \
	X(H5_SIZE_MISMATCH, "h5-size-mismatch", MALFORMED, HIGH,                                                       \
	  "a data set's storage is of another size than its shape and type say",                                       \
	  "What is missing is read from elsewhere.",                                                                   \
	  "Write the file with h5py.", "formats/keras-hdf5, H6")                                                       \
	X(H5_SIZE_OVERFLOW, "h5-size-overflow", MALFORMED, CRITICAL,                                                   \
	  "the size of a data set overflows 64 bits",                                                                  \
	  "Loaders that do not notice allocate too little and write beyond it.",                                       \
	  "Write the file with h5py.", "formats/keras-hdf5, H6")                                                       \
	X(H5_FILTER, "h5-filter", UNSUPPORTED, HIGH,                                                                   \
	  "a model's weights are compressed or otherwise filtered",                                                    \
	  "Keras writes none; filters are code that runs when the weights are read.",                                  \
	  "Write the file with Keras, without compression.", "formats/keras-hdf5, H7")                                 \
	X(H5_FILTER_PLUGIN, "h5-filter-plugin", CODE, HIGH,                                                            \
	  "a filter that needs a plug-in",                                                                             \
	  "The HDF5 library searches for a shared library of that number and loads it.",                               \
	  "Write the file without filters.", "formats/keras-hdf5, H7")                                                 \
	X(H5_SHAPE_BOMB, "h5-shape-bomb", MALFORMED, HIGH,                                                             \
	  "a data set that claims far more elements than are stored",                                                  \
	  "Loading it exhausts memory (CVE-2026-0897).",                                                               \
	  "Write the file with h5py.", "formats/keras-hdf5, H8")                                                       \
	X(H5_REFERENCE, "h5-reference", UNSUPPORTED, MEDIUM,                                                           \
	  "references to objects or regions",                                                                          \
	  "Following them leads around the tree that was examined.",                                                   \
	  "Keep weights as arrays of numbers.", "formats/keras-hdf5, H9")                                              \
	X(H5_OBJECT_SHARED, "h5-object-shared", AMBIGUOUS, MEDIUM,                                                     \
	  "an object under two names",                                                                                 \
	  "Changing one changes the other; Keras writes a tree.",                                                      \
	  "Write each array once.", "formats/keras-hdf5, H10")                                                         \
	X(H5_OBJECT_CYCLE, "h5-object-cycle", MALFORMED, HIGH,                                                         \
	  "a group that contains itself",                                                                              \
	  "Readers that follow it never end.",                                                                         \
	  "Write the file with h5py.", "formats/keras-hdf5, H10")                                                      \
	X(H5_LIMIT, "h5-limit", MALFORMED, HIGH,                                                                       \
	  "more objects, levels, attributes or bytes of structure than a model has",                                   \
	  "Readers that go on run out of memory.",                                                                     \
	  "Write the file with h5py.", "formats/keras-hdf5, H11")                                                      \
	X(H5_NAME, "h5-name", MALFORMED, HIGH,                                                                         \
	  "a name that is empty, not UTF-8, given twice, or leads elsewhere",                                          \
	  "Names become paths and keys.",                                                                              \
	  "Name groups and data sets plainly.", "formats/keras-hdf5, H12")                                             \
	X(H5_OVERLAP, "h5-overlap", AMBIGUOUS, HIGH,                                                                   \
	  "two structures or data sets share bytes",                                                                   \
	  "One of them is not what it seems.",                                                                         \
	  "Write the file with h5py.", "formats/keras-hdf5, H13")                                                      \
	X(H5_UNCLAIMED_BYTES, "h5-unclaimed-bytes", QUALITY, MEDIUM,                                                   \
	  "bytes that belong to no structure are not zero",                                                            \
	  "Deleted objects leave such bytes; another file could hide in them.",                                        \
	  "Repack the file (h5repack).", "formats/keras-hdf5, H13")                                                    \
	X(H5_HOLE, "h5-hole", AMBIGUOUS, HIGH,                                                                         \
	  "many bytes that belong to no structure and are not zero",                                                   \
	  "Another file can hide in them.",                                                                            \
	  "Repack the file (h5repack).", "formats/keras-hdf5, H13")                                                    \
	X(H5_UNSUPPORTED, "h5-unsupported", UNSUPPORTED, MEDIUM,                                                       \
	  "a part of HDF5 that this build does not read",                                                              \
	  "What is behind it was not examined.",                                                                       \
	  "Write the file with h5py's defaults.", "formats/keras-hdf5, H15")
/* clang-format on */
