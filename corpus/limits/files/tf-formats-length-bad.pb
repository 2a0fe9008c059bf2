
"servet
L
itDataFormatVecPermutein3*

src_formatNHWC*

dst_formatNCDHW

in3Placeholder*
dtype0"¿