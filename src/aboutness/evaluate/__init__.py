"""Rankings and judgements to numbers; knows no model."""
