Å
"serve*2.11.0w

xPlaceholder
 
cPartitionedCall*

fR
f<
'

f 
cPartitionedCall*

fR
g


g

aAbort"¿*9
__saved_model_init_op 
__saved_model_init_op
x:0