"""Demo data: invented chats that go through the real pipeline."""
