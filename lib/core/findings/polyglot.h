/* Findings of the polyglot stage: what a file is besides its own format (formats/polyglots, section 6). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_POLYGLOT(X)                                                                                       \
	X(POLYGLOT_MAGIC, "polyglot-magic", AMBIGUOUS, CRITICAL,                                                       \
	  "the first bytes spell the signature of another format",                                                     \
	  "Tools that decide by the first bytes take the file for something that runs or unpacks.",                    \
	  "Re-save the file with a header of another length.",                                                         \
	  "formats/polyglots, P18")                                                                                    \
	X(POLYGLOT_ZIP, "polyglot-zip", AMBIGUOUS, CRITICAL,                                                           \
	  "a ZIP archive can be read from the end of the file",                                                        \
	  "ZIP readers search from the end: Python would run the same file as a program.",                             \
	  "Publish the weights without the archive that hides in them.",                                               \
	  "formats/polyglots, P1")                                                                                     \
	X(POLYGLOT_PDF, "polyglot-pdf", AMBIGUOUS, CRITICAL,                                                           \
	  "a PDF document can be read from the file",                                                                  \
	  "PDF readers accept their marker anywhere in the first 1024 bytes, and PDF carries scripts.",                \
	  "Remove the PDF from metadata, names and weights.",                                                          \
	  "formats/polyglots, P2")                                                                                     \
	X(POLYGLOT_TAR, "polyglot-tar", AMBIGUOUS, CRITICAL,                                                           \
	  "a tar archive can be read from the start of the file",                                                      \
	  "Legacy PyTorch loaders accept tar archives, which hold pickles.",                                           \
	  "Publish the weights without the archive that hides in them.",                                               \
	  "formats/polyglots, P3")                                                                                     \
	X(POLYGLOT_HDF5, "polyglot-hdf5", AMBIGUOUS, CRITICAL,                                                         \
	  "an HDF5 file can be read from inside the file",                                                             \
	  "HDF5 readers search at doubling offsets, and Keras runs code from HDF5 files.",                             \
	  "Publish the weights without the HDF5 file that hides in them.",                                             \
	  "formats/polyglots, P4")                                                                                     \
	X(POLYGLOT_TFRECORD, "polyglot-tfrecord", AMBIGUOUS, CRITICAL,                                                 \
	  "the length prefix and what follows form a valid TFRecord",                                                  \
	  "The same file is a record file to TensorFlow.",                                                             \
	  "Re-save the file with a header of another length.",                                                         \
	  "formats/polyglots, 4.1")                                                                                    \
	X(POLYGLOT_PICKLE, "polyglot-pickle", AMBIGUOUS, HIGH,                                                         \
	  "the same bytes are a pickle to another reader",                                                             \
	  "Its own reader steps over them; pickle.load() runs what they import and call.",                             \
	  "Save the file again with the library that made it.",                                                        \
	  "formats/polyglots, P10")                                                                                    \
	X(POLYGLOT_7Z, "polyglot-7z", AMBIGUOUS, HIGH,                                                                 \
	  "a 7z archive can be read from inside the file",                                                             \
	  "Unpackers search for the archive behind a program; scanners do not look inside.",                           \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P5")                                                                                     \
	X(POLYGLOT_RAR, "polyglot-rar", AMBIGUOUS, HIGH,                                                               \
	  "a RAR archive can be read from inside the file",                                                            \
	  "Unpackers search for the archive behind a program; scanners do not look inside.",                           \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P6")                                                                                     \
	X(POLYGLOT_ARJ, "polyglot-arj", AMBIGUOUS, HIGH,                                                               \
	  "an ARJ archive can be read from inside the file",                                                           \
	  "Unpackers search for the archive behind a program; scanners do not look inside.",                           \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P7")                                                                                     \
	X(POLYGLOT_ISO9660, "polyglot-iso9660", AMBIGUOUS, HIGH,                                                       \
	  "a disc image can be read from the file",                                                                    \
	  "Systems mount what has a volume descriptor in sector 16, whatever stands in front.",                        \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P8")                                                                                     \
	X(POLYGLOT_DICOM, "polyglot-dicom", AMBIGUOUS, HIGH,                                                           \
	  "a DICOM file can be read from the file",                                                                    \
	  "DICOM leaves its first 128 bytes to others, so the file is an image as well.",                              \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P9")                                                                                     \
	X(POLYGLOT_PROTOBUF, "polyglot-protobuf", AMBIGUOUS, HIGH,                                                     \
	  "the whole file is an ONNX model to another reader",                                                         \
	  "A runtime for ONNX loads another model from it than the one that is judged here.",                          \
	  "Re-save the file with a header of another length.",                                                         \
	  "formats/polyglots, P11")                                                                                    \
	X(POLYGLOT_MSGPACK, "polyglot-msgpack", AMBIGUOUS, HIGH,                                                       \
	  "the whole file is one MessagePack map to another reader",                                                   \
	  "Flax loads another model from it than the one that is judged here.",                                        \
	  "Re-save the file with a header of another length.",                                                         \
	  "formats/polyglots, P12")                                                                                    \
	X(POLYGLOT_SAFETENSORS, "polyglot-safetensors", AMBIGUOUS, HIGH,                                               \
	  "the file is a safetensors file to another reader",                                                          \
	  "Its reader loads other weights from it than those that are judged here.",                                   \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P13")                                                                                    \
	X(POLYGLOT_ELF, "polyglot-elf", AMBIGUOUS, CRITICAL,                                                           \
	  "the file begins with an ELF program",                                                                       \
	  "Linux runs it by its first bytes, whatever follows.",                                                       \
	  "Publish the model without the program in front of it.",                                                     \
	  "formats/polyglots, P14")                                                                                    \
	X(POLYGLOT_PE, "polyglot-pe", AMBIGUOUS, CRITICAL,                                                             \
	  "the file begins with a Windows program",                                                                    \
	  "Windows runs it by its first bytes, whatever follows.",                                                     \
	  "Publish the model without the program in front of it.",                                                     \
	  "formats/polyglots, P14")                                                                                    \
	X(POLYGLOT_MACHO, "polyglot-macho", AMBIGUOUS, CRITICAL,                                                       \
	  "the file begins with a Mach-O program",                                                                     \
	  "macOS runs it by its first bytes, whatever follows.",                                                       \
	  "Publish the model without the program in front of it.",                                                     \
	  "formats/polyglots, P14")                                                                                    \
	X(POLYGLOT_SCRIPT, "polyglot-script", AMBIGUOUS, CRITICAL,                                                     \
	  "the file begins with a line that names an interpreter",                                                     \
	  "Unix runs it as a script by its first two bytes.",                                                          \
	  "Publish the model without the script in front of it.",                                                      \
	  "formats/polyglots, P14")                                                                                    \
	X(POLYGLOT_HTML, "polyglot-html", AMBIGUOUS, CRITICAL,                                                         \
	  "the file begins like a page of HTML",                                                                       \
	  "Browsers go by the first tag, and run the scripts behind it.",                                              \
	  "Publish the model without the page in front of it.",                                                        \
	  "formats/polyglots, P15")                                                                                    \
	X(POLYGLOT_PHAR, "polyglot-phar", AMBIGUOUS, CRITICAL,                                                         \
	  "a PHP archive can be read from inside the file",                                                            \
	  "PHP runs the stub and unserializes what the manifest holds.",                                               \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P16")                                                                                    \
	X(POLYGLOT_DISK_FOOTER, "polyglot-disk-footer", AMBIGUOUS, HIGH,                                               \
	  "a disk image can be read from the end of the file",                                                         \
	  "Systems mount what ends with such a footer, whatever stands in front.",                                     \
	  "Publish the weights without what hides in them.",                                                           \
	  "formats/polyglots, P17")                                                                                    \
	X(POLYGLOT_GZIP, "polyglot-gzip", AMBIGUOUS, HIGH,                                                             \
	  "the file inflates as gzip",                                                                                 \
	  "Loaders unpack by the first bytes, and load what comes out.",                                               \
	  "Re-save the file with a header of another length.",                                                         \
	  "formats/polyglots, P18")                                                                                    \
	X(HDF5_IN_STORED_MEMBER, "hdf5-signature-in-stored-member", AMBIGUOUS, INFO,                                   \
	  "a stored member lies where HDF5 readers look",                                                              \
	  "HDF5 readers open the archive as if it were the member, which is judged for what it is.",                   \
	  "Nothing to do.",                                                                                            \
	  "formats/polyglots, P4")                                                                                     \
	X(PDF_MARKER, "pdf-marker-no-objects", AMBIGUOUS, INFO,                                                        \
	  "the marker of a PDF document, and no document",                                                             \
	  "PDF readers look for the marker in the first 1024 bytes; nothing follows that they could show.",            \
	  "Nothing to do.",                                                                                            \
	  "formats/polyglots, P2")                                                                                     \
	X(MARKUP_IN_METADATA, "markup-in-metadata", CODE, INFO,                                                        \
	  "markup or a script in the header's text",                                                                   \
	  "Interpreters that are pointed at the file find it; nothing does so by itself.",                             \
	  "Keep templates in files of their own.",                                                                     \
	  "formats/polyglots, P19")
/* clang-format on */
