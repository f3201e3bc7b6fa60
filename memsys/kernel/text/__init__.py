"""Chinese text: everything that reads characters rather than meaning.

`clean` makes text storable and comparable, `privacy` takes personal data out,
`tokens` cuts it into search words, `budget` counts model tokens, `timewords` finds
dates. All of it is pure: no database, no network, no clock.
"""
