"""The service under load, and under requests that were made to break it.

load       many requests at a time for as long as is asked, with the memory of the service
fuzz       requests made from the OpenAPI document by schemathesis, and what must never come back
"""
