"""The service: FastAPI and uvicorn around the questions of the explorer.

app          `create_app`: all routes, and which models they are about
settings     where and for whom: host, port, token
guard        before every request: host, origin, token, size, time, how many at a time
bodies       requests from JSON, Arrow or CSV; `tables`: answers as Arrow or CSV
arrow        which streams of Arrow are read
problems     errors as problem details (RFC 9457)
metrics      for Prometheus; `logs`: one line of JSON for each request
documents    the OpenAPI document, and a page that shows it
pages        the explorer's own files, as built into the package
protocol     HTTP/1.1 with a limit on the time to send a request
server       run it until it is stopped
"""
