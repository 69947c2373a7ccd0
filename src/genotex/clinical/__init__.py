"""Clinical inference: which characteristic tells trait, age and gender, and how."""
