"""language_model: one question to a language model about one finished session.

Owns the words of the question, the call, and the border at which an answer is believed
or not. Knows no database: messages and the rules' candidates in, candidate facts out.

>>> question = write_prompt(messages, candidates=found, time_zone=zone)  # doctest: +SKIP
>>> findings = parse_answer(ask(question.prompt).text)  # doctest: +SKIP
"""
