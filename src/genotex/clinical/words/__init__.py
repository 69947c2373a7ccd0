"""Words: how they are compared, which ones are known, and what denies them."""
