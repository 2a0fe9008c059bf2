q
."serve*2.11.0

MatMul

SentencepieceOp?

xPlaceholder*
dtype0

yIdentityx*
T0"¿