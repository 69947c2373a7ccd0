"""How well the built-in rules annotate labelled cases."""
