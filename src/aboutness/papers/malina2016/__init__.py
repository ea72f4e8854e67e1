"""malina2016: sparse, dense and hybrid document vectors compared by cosine, with documents as queries."""
