c
"serve*2.11.0P

xPlaceholder7
5

f
a)
nPrintV2a*
output_streamJwhich"¿