C
"serve*2.11.00

xPlaceholder

cCacheDatasetxx"¿