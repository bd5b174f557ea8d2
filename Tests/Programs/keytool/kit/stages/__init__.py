"""Commands with the place that each starts from, and what holds of a place afterwards."""
