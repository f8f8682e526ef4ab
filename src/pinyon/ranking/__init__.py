"""Pure arithmetic of ranking: fusion, weights, relevance, budgets."""
