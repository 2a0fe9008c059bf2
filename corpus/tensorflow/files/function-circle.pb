~
"serve*2.11.0k

xPlaceholderR
'

f 
cPartitionedCall*

fR
g
'

g 
cPartitionedCall*

fR
f"¿