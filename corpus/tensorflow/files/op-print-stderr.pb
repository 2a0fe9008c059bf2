g
"serve*2.11.0T
,
xPrintV2in7*
output_streamstderr

in7Placeholder*
dtype0"¿