[
."serve*2.11.0

MatMul

SentencepieceOp)

xPlaceholder

yIdentityx"¿