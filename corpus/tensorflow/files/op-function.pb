]
"serve*2.11.0J
 
xPartitionedCall*

fR
f

zf


f
xPlaceholder"¿