"""Original against fix on the inputs that the visible calls span: observe, compare, say whom a difference favours."""
