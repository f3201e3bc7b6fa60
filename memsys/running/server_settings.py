"""Owns the settings of the bundled servers; data, no logic.

They suit one machine that other programs share. A server of your own, given by
DATABASE_URL or VALKEY_URL, has its own.
"""

from collections.abc import Mapping

POSTGRES_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "1GB",
    "random_page_cost": "1.1",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "jit": "off",
    # Parallel plans take shared memory that a container may not have.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A failed statement and the detail of an error hold people's text.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}

VALKEY_SETTINGS: Mapping[str, str] = {
    "bind": "127.0.0.1",
    "dir": "./",
    "daemonize": "no",
    # All that it holds can be rebuilt from PostgreSQL, so nothing goes to disk;
    # and what has no expiry, such as a queued job, is never evicted.
    "save": '""',
    "appendonly": "no",
    "maxmemory": "512mb",
    "maxmemory-policy": "volatile-lru",
    # These keep copies of the arguments of commands, people's text among them.
    "commandlog-execution-slower-than": "-1",
    "commandlog-request-larger-than": "-1",
    "commandlog-reply-larger-than": "-1",
    "crash-log-enabled": "no",
}
