€
"serve*2.11.0m

xPlaceholderT
R

f
file
tHashTableV21
iInitializeTableFromTextFileV2t:out:0file"¿