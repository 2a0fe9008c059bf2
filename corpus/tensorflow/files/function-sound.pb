~
"serve*2.11.0k
 
xPartitionedCall*

fR
fB
'

f 
cPartitionedCall*

fR
g


g
xPlaceholder"¿