~
"serves
K
itDataFormatVecPermutein3*

src_formatNHWC*

dst_formatNCHW

in3Placeholder*
dtype0"¿