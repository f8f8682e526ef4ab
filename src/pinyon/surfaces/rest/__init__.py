"""HTTP and JSON: each route decodes, calls one operation of a client, and encodes."""
