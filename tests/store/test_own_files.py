"""Our own files, when somebody was at them."""

from __future__ import annotations

import pytest
from scopes import A, document, open_store

from commonplace.errors import DamagedError
from commonplace.store.protocol import Put
from marking import slow_after

pytestmark = pytest.mark.battery


@pytest.mark.parametrize("content", [b"\xff\xfe\x00k", "é".encode(), b"no key\n", b"ab\n", b"aa" * 200, b"\n"])
def test_a_key_that_is_none_is_named_with_what_to_do(tmp_path, content):
    """Bug: a UnicodeDecodeError; and under a key of another length all that was forgotten was unknown."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, [Put(A, (document(1),))])
    (tmp_path / ".commonplace" / "key").write_bytes(content)
    with open_store(tmp_path) as store, pytest.raises(DamagedError, match=r"key' holds no key; put the file back"):
        store.key()
    assert (tmp_path / ".commonplace" / "key").read_bytes() == content


def test_a_store_closes_though_its_folder_is_none_any_more(tmp_path, caplog):
    """Bug: `close` raised a plain NotADirectoryError where `.commonplace` had become a file."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, [Put(A, (document(1),))])
        (tmp_path / ".commonplace").rename(tmp_path / "aside")
        (tmp_path / ".commonplace").write_bytes(b"a file")
    assert "no checkpoint was written" in caplog.text


@pytest.mark.parametrize(("every", "bits"), slow_after(1, [(5, [4]), (1, [1, 32, 128])]))
def test_a_flipped_bit_in_the_checkpoint_stops_no_write(tmp_path, every, bits):
    """Issue 23: it raised a UnicodeDecodeError at every write that was done."""
    path = tmp_path / ".commonplace" / "state" / "checkpoint"
    with open_store(tmp_path) as store:
        store.commit({}, {}, [Put(A, (document(1),))])
    whole = path.read_bytes()
    for place in range(0, len(whole), every):
        for bit in bits:
            damaged = bytearray(whole)
            damaged[place] ^= bit
            path.write_bytes(damaged)
            with open_store(tmp_path) as store:
                number = store.change_number()
                assert store.commit({}, {}, [Put(A, (document(2 + number),))]).number == number + 1
                assert store.read(A).data == document(2 + number).text.encode()
