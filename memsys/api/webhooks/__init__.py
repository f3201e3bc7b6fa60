"""Tells other services what happened: endpoints, deliveries, and the sending of them.

The events are the kernel's outbox; here they become one delivery for each endpoint that
listens, sent at least once, in no promised order, by the rules of Standard Webhooks.
"""
