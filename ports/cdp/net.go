package cdp

type requestEvent struct {
	RequestID string `json:"requestId"`
	LoaderID  string `json:"loaderId"`
	Type      string `json:"type"`
	Request   struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
	ErrorText string `json:"errorText"`
}

// maxStatus is how many documents' statuses are remembered.
const maxStatus = 64

// awaited tells requests whose end a page may be waiting for.
func awaited(kind string) bool {
	switch kind {
	case "Ping", "EventSource", "Media", "Prefetch", "WebSocket", "CSPViolationReport", "Preflight":
		return false
	}
	return true
}

func (t *Tab) onRequest(_ string, e requestEvent) bool {
	if !awaited(e.Type) {
		return false
	}
	t.watch.Net.Begun(e.RequestID, e.Request.Method, e.Request.URL, e.Type == "XHR" || e.Type == "Fetch" || e.Type == "Document")
	return true
}

func (t *Tab) onResponse(_ string, e requestEvent) bool {
	t.watch.Net.Answered(e.RequestID, e.Response.Status)
	if e.Type != "Document" || e.LoaderID == "" {
		return false
	}
	if len(t.status) > maxStatus {
		clear(t.status)
	}
	t.status[e.LoaderID] = e.Response.Status
	return true
}

func (t *Tab) onData(_ string, e requestEvent) bool {
	t.watch.Net.Data(e.RequestID)
	return false
}

func (t *Tab) onLoaded(_ string, e requestEvent) bool {
	t.watch.Net.Ended(e.RequestID, e.ErrorText)
	return true
}
