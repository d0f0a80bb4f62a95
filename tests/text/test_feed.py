"""A text that grows: nothing lost, nothing waits that must not."""

import threading
import time

from desktop_tts.text.feed import TextFeed


def test_pieces_come_out_in_order_and_end():
    feed = TextFeed(2)
    threading.Thread(target=lambda: ([feed.put(str(n)) for n in range(50)], feed.end())).start()
    assert list(feed) == [str(n) for n in range(50)]


def test_a_full_feed_refuses_and_ends_without_waiting():
    feed = TextFeed(2)
    assert feed.offer("a")
    assert feed.offer("b")
    assert not feed.offer("c")
    begun = time.monotonic()
    feed.end()
    assert time.monotonic() - begun < 0.5
    assert list(feed) == ["a", "b"]


def test_closing_frees_both_sides():
    feed = TextFeed(1)
    feed.offer("a")
    results = []
    writer = threading.Thread(target=lambda: results.append(feed.put("b")))
    writer.start()
    feed.close()
    writer.join(2)
    assert results == [False]
    assert list(feed) == []
