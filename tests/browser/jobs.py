"""The jobs that the web server asked for, run here and now: no waiting, no worker.

>>> Jobs().run_queued()  # doctest: +SKIP
['memories.process_session']
"""

from queue import Empty

from memsys.celery import app


class Jobs:
    """Takes jobs from the broker as a worker does, one after the other."""

    def __init__(self) -> None:
        app.loader.import_default_modules()

    def forget(self) -> None:
        """Drop what earlier tests asked for."""
        with app.connection_for_read() as connection:
            app.amqp.TaskConsumer(connection).purge()

    def run_queued(self) -> list[str]:
        """Run what is queued, and what that asks for; return the names in order."""
        names = []
        with app.connection_for_read() as connection:
            queue = connection.SimpleQueue(app.conf.task_default_queue)
            while True:
                try:
                    message = queue.get_nowait()
                except Empty:
                    return names
                name, (_args, told, _embed) = message.headers["task"], message.payload
                message.ack()
                app.tasks[name](**told)
                names.append(name)

    def run(self, name: str) -> None:
        """Run one of those that beat starts, then what it asked for."""
        app.tasks[name]()
        self.run_queued()
