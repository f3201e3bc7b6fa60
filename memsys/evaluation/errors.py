"""What can go wrong with an evaluation. No message quotes a labelled text."""


class EvaluationError(Exception):
    """Base of the errors of evaluations; the text is for the person at the terminal."""


class BadFile(EvaluationError):
    """A labelled file cannot be used; the message names the file, line and field."""


class VectorMissing(EvaluationError):
    """The embedder gave no vector, so the ranking would not be that of the request."""


class ModelMissing(EvaluationError):
    """There is no language model that could be asked."""
