"""The trait: from single values to the row that records it.

`series_context` holds the texts of a series; `judgement` and `value_judge` judge single values,
`row_judge` the values of a row together; `options` lists every way in which the series
may record the trait, `scoring` says how likely each is right; `choice` takes one.
"""
