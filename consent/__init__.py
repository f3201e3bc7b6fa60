"""consent: may something be kept, shown or released; asked through `consent.gate`."""
