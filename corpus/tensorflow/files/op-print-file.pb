H
"serve*2.11.05
.
xPrintV2* 
output_streamfile:///tmp/x"¿