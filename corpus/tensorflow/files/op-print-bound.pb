p
"serve*2.11.0]

xPlaceholder*
dtype07
5

f
a)
nPrintV2a*
output_streamJwhich"¿