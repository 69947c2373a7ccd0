"""A language model as annotator: its question, its answer, and its comparison with the rules.

`question` puts a series into words, `answer` is the form of what comes back, `asking` the experts
that ask, `comparing` what holds where rules and model are both asked, `making` makes an expert of
the options.
"""
