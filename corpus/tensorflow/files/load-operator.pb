Œ
"serve*2.11.0>

xPlaceholder

cMyInit


MyInit

aAbort"¿*9
__saved_model_init_op 
__saved_model_init_op
c:0