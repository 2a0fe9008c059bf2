v
"serve*2.11.0c

xPlaceholderJ
'

f 
cPartitionedCall*

fR
g


g
xPlaceholder
hg"¿