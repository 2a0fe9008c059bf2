†
"serve*2.11.0ò

n0AddV2

n1XlaDynamicSlice
$
n2LoadTPUEmbeddingADAMParameters

n3_FusedMatMul

n4_Retval

n5SlideDataset

n6BatchMatMulV3

n7AdjustContrastv2

n8
ZipDataset
+
n9%ExperimentalBytesProducedStatsDataset"¿