import pyarrow as pa
import pytest

from vicinal.exceptions import TableError
from vicinal.explorer.http.arrow import check_stream
from vicinal.explorer.limits import TooLarge


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
        out.write_table(table, max_chunksize=3)
    return sink.getvalue().to_pybytes()


TABLE = pa.table(
    {"x": [1.0, 2.0, None] * 3, "c": pa.array(["a", "b", "a"] * 3).dictionary_encode()}
)


def test_a_stream_of_several_batches_is_read_up_to_its_limit():
    check_stream(stream(TABLE), 9)
    with pytest.raises(TooLarge, match="9 rows"):
        check_stream(stream(TABLE), 8)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_streams_are_refused(compression):
    with pytest.raises(TableError, match="without compression"):
        check_stream(stream(TABLE, compression=compression), 100)


def test_rows_that_take_no_space_are_counted():
    nulls = pa.table({"x": pa.nulls(10**9)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, nulls.schema) as out:
        out.write_table(nulls)
    assert len(sink.getvalue()) < 10_000
    with pytest.raises(TooLarge, match="1000000000 rows"):
        check_stream(sink.getvalue().to_pybytes(), 100_000)


@pytest.mark.parametrize("cut", range(0, 400, 37))
def test_a_damaged_stream_is_read_or_refused_but_never_more(client, cut):
    body = bytearray(stream(TABLE.rename_columns(["size", "shop"])))
    body[cut : cut + 4] = b"\xff\xff\xff\x7f"
    answer = client.post(
        "/v1/models/mixed/predict",
        content=bytes(body),
        headers={"Content-Type": "application/vnd.apache.arrow.stream"},
    )
    assert answer.status_code in (200, 413, 422)
