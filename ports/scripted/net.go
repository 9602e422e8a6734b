package scripted

// exchange takes in a request or its end; with Browser.mu held.
func (t *Tab) exchange(method string, e told, id string) {
	if e.Type == "main_frame" {
		t.top(method, e, id)
	}
	switch {
	case e.Type == "image" || e.Type == "beacon" || e.Type == "websocket": // nobody waits for them
	case method == "net.begun":
		t.watch.Net.Begun(id, cut(e.Method, 20), e.URL, e.Type == "main_frame" || e.Type == "sub_frame" || e.Type == "xmlhttprequest")
	case method == "net.ended":
		t.watch.Net.Answered(id, e.Status)
		t.watch.Net.Ended(id, e.Text)
	}
}

// top takes in a request for the top document.
func (t *Tab) top(method string, e told, id string) {
	switch method {
	case "net.begun":
		t.going, t.loads[id] = id, true
		if len(t.hops) < 100 {
			t.hops = append(t.hops, bare(e.URL))
		}
	case "net.ended":
		delete(t.loads, id)
		if id != t.going {
			return
		}
		t.status = e.Status
		if e.Text != "" && e.Text != "NS_BINDING_ABORTED" || e.Status == 204 || e.Status == 205 {
			t.notLoaded(e)
		}
	}
}
