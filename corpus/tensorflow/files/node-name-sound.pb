,
"serve*2.11.0


.a/b-c_d>eNoOp"¿