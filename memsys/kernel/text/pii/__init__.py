"""How personal data is found in Chinese text; `privacy` decides what is done with it.

`view` folds a text and keeps the way back to its positions; `detector` is the form of
one rule; `phones`, `cards`, `mail`, `accounts`, `credentials`, `documents`, `places` and
`names` hold the rules, one kind of datum each. Rules are context and checksum first, so that prices,
dates, scores and order numbers stay readable.
"""
