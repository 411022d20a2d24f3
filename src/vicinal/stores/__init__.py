"""Tables in parts on disk: shards in files, and processes that search them.

- `shard_files`: a shard as a checked file, whose values are mapped
- `manifest`: which files make up a store, replaced as one
- `split_tree`: which shard a case belongs to, so that few of them matter to a query
- `build`: shards of encoded cases that are on disk
- `stored_shards`: `StoredShards`, asked one after the other in this process
- `processes`: `ProcessShards`, asked by several processes at a time; `worker`: one of them
- `held_shards`: `HeldShards`, read into the memory of this process, as many as fit
- `dask_shards`: `DaskShards`, asked by the workers of a Dask cluster
- `ray_shards`: `RayShards`, asked by the actors of a Ray cluster
- `remote`: what the two have in common: versions, addresses, memory
- `packets`: arguments and answers as bytes; nothing is ever unpickled

Imports `index`, `storage` and below.
"""
