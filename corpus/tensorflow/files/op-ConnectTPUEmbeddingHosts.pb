f
"serve*2.11.0S
+
xConnectTPUEmbeddingHostsin7*
N

in7Placeholder*
dtype0"¿