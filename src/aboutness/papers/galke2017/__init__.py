"""galke2017: centroids of word vectors, Word Mover's Distance and paragraph vectors against TF-IDF."""
