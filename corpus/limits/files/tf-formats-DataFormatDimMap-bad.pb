z
"serveo
G
itDataFormatDimMapin3*

src_formatNHWC*

dst_formatHHHH

in3Placeholder*
dtype0"¿