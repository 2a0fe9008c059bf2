n
"serve*2.11.0[
3
xPrintV2in7* 
output_streamfile:///tmp/x

in7Placeholder*
dtype0"¿