package settle

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestTrafficIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewTraffic()
		w.Begun("before", "GET", "http://a.test/old", true)
		n, at := w.count(), time.Now()
		see := func(when string, pending int, any bool) {
			t.Helper()
			if got := w.since(n, at, time.Now()); got.pending != pending || got.any != any {
				t.Errorf("%s: %+v, want %d %v", when, got, pending, any)
			}
		}
		see("before the mark", 0, false)
		w.Begun("fetch", "GET", "http://a.test/data", true)
		w.Begun("stream", "GET", "http://a.test/events", true)
		w.Answered("stream", 200)
		see("two in flight", 2, true)
		time.Sleep(streamQuiet + time.Millisecond)
		see("a stream that says nothing more", 1, true)
		w.Ended("fetch", "")
		see("all done", 0, true)
		time.Sleep(time.Second)
		if got := w.since(n, at, time.Now()); got.quiet != time.Second {
			t.Errorf("quiet for %v, want 1s", got.quiet)
		}
	})
}

func TestTrafficOfThePageItself(t *testing.T) {
	w := NewTraffic()
	for i := range 2 {
		w.Begun(strconv.Itoa(i), "GET", "http://a.test/poll?n="+strconv.Itoa(i), true)
		w.Ended(strconv.Itoa(i), "")
	}
	w.Begun("open", "GET", "http://a.test/long", true)
	n, at := w.count(), time.Now()
	w.Begun("again", "GET", "http://a.test/poll?n=9", true)
	w.Begun("long", "GET", "http://a.test/long", true)
	if got := w.since(n, at, time.Now()); got.pending != 0 || got.any {
		t.Errorf("a poll that was made twice before and one that was under way: %+v", got)
	}
	w.Begun("post", "POST", "http://a.test/poll", true)
	if got := w.since(n, at, time.Now()); got.pending != 1 || !got.any {
		t.Errorf("a POST is the action's: %+v", got)
	}
}

func TestTrafficOfReceipts(t *testing.T) {
	w := NewTraffic()
	w.Begun("img", "GET", "http://a.test/i.png", false)
	w.Ended("img", "")
	w.Begun("lost", "GET", "http://a.test/j.png", false)
	w.Answered("lost", 404)
	w.Ended("lost", "")
	w.Begun("save", "POST", "http://ada:pw@a.test/save?q=secret", false)
	w.Begun("save", "GET", "http://a.test/saved", false) // a redirect
	w.Answered("save", 200)
	got := w.caused(0)
	if len(got) != 2 || got[0].Status != 404 || got[1].Method != "POST" || got[1].URL != "http://a.test/save?q" || got[1].Status != 200 {
		t.Errorf("receipt tells of %+v", got)
	}
	for i := range maxOpen + 10 {
		w.Begun("many"+strconv.Itoa(i), "GET", "http://a.test/", true)
	}
	if len(w.open) > maxOpen+1 || len(w.log) > maxLog || len(w.caused(0)) != maxTold {
		t.Errorf("%d open, %d remembered, %d told", len(w.open), len(w.log), len(w.caused(0)))
	}
}

func TestShownURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://u:p@a.test/x?token=s3cret&b=2#frag": "https://a.test/x?b&token",
		"data:text/html,s3cret":                      "data:…",
		"http://a.test/%zz":                          "http:…",
		"":                                           ":…",
	} {
		if got := shownURL(raw); got != want {
			t.Errorf("shownURL(%q) = %q, want %q", raw, got, want)
		}
	}
}
