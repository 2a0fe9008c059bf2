†
"serve*2.11.0s
*
xTFRecordDatasetV2in7in7in9in9

in7Placeholder*
dtype0

in9Placeholder*
dtype0	"¿