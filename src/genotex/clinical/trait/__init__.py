"""The trait: from single values to the row that tells it.

`series_context` reads the texts of a series; `value_words` and `value_roles` judge single values,
`row_roles` the values of a row together; `options` lists every way of reading the series, `scoring`
says how likely each is right, `choosing` takes one.
"""
