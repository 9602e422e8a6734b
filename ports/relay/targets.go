package relay

import (
	"encoding/json"
	"strconv"

	"github.com/wb-agent/wb/ports"
)

// attached is the extension's answer to debugger.attach.
type attached struct {
	Target string `json:"target"` // the DevTools target, which is also the id of its top frame
	URL    string `json:"url"`
	Title  string `json:"title"`
	Opener int    `json:"opener,omitempty"`
}

type targetInfo struct {
	Target string `json:"targetId"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Here   bool   `json:"attached"`
	Opener string `json:"openerId,omitempty"`
	Opens  bool   `json:"canAccessOpener"`
}

// adopt tells the other side of a tab that is lent from now on.
// One that is held waits until it is told to go.
func (t *Transport) adopt(tab int, a attached, held bool) {
	t.mu.Lock()
	known := t.tabs[tab] != ""
	t.tabs[tab] = a.Target
	if held {
		t.held[tab] = true
	}
	opener := t.tabs[a.Opener]
	t.mu.Unlock()
	if known {
		return
	}
	info := targetInfo{Target: a.Target, Type: "page", Title: a.Title, URL: a.URL, Here: true, Opener: opener}
	t.put(wire{Method: "Target.attachedToTarget", Params: ports.JSON(map[string]any{"sessionId": strconv.Itoa(tab), "targetInfo": info, "waitingForDebugger": held})})
}

func (t *Transport) detached(tab int, target string) {
	t.put(wire{Method: "Target.detachedFromTarget", Params: ports.JSON(map[string]any{"sessionId": strconv.Itoa(tab), "targetId": target})})
}

// root answers what a browser's own session would.
func (t *Transport) root(m wire, then func(json.RawMessage, error)) {
	switch m.Method {
	case "Browser.getVersion":
		then(ports.JSON(map[string]string{"protocolVersion": "1.3", "product": t.x.Name, "revision": "", "userAgent": "", "jsVersion": ""}), nil)
	case "Target.setAutoAttach", "Browser.setDownloadBehavior", "Browser.close":
		then(nil, nil) // the extension attaches to what is lent; downloads stay the person's own affair
	case "Target.createTarget":
		t.create(m, then)
	case "Target.getTargetInfo":
		t.info(m, then)
	case "Target.closeTarget":
		t.onTab(m, "tabs.close", true, func(json.RawMessage) json.RawMessage { return ports.JSON(map[string]bool{"success": true}) }, then)
	case "Target.activateTarget":
		t.onTab(m, "tabs.activate", true, func(json.RawMessage) json.RawMessage { return nil }, then)
	default:
		then(nil, ports.NewError(ports.CodeUnknownTool, m.Method+" is not for a lent browser", ""))
	}
}

// create opens a tab in the background and attaches to it.
func (t *Transport) create(m wire, then func(json.RawMessage, error)) {
	var p struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		then(nil, err)
		return
	}
	t.x.Post("tabs.create", map[string]string{"url": p.URL}, true, func(b json.RawMessage, err error) {
		var made struct {
			Tab int `json:"tab"`
			attached
		}
		if err == nil {
			err = json.Unmarshal(b, &made)
		}
		if err != nil {
			then(nil, err)
			return
		}
		t.adopt(made.Tab, made.attached, false)
		then(ports.JSON(map[string]string{"targetId": made.Target}), nil)
	})
}

func (t *Transport) info(m wire, then func(json.RawMessage, error)) {
	var p targetInfo
	if json.Unmarshal(m.Params, &p) != nil {
		p.Target = ""
	}
	t.onTab(m, "tabs.get", false, func(b json.RawMessage) json.RawMessage {
		var a attached
		if json.Unmarshal(b, &a) != nil {
			a = attached{}
		}
		return ports.JSON(map[string]any{"targetInfo": targetInfo{Target: p.Target, Type: "page", Title: a.Title, URL: a.URL, Here: true}})
	}, then)
}

// onTab asks the extension about the tab that a command names by its target.
func (t *Transport) onTab(m wire, command string, changing bool, shape func(json.RawMessage) json.RawMessage, then func(json.RawMessage, error)) {
	var p struct {
		Target string `json:"targetId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		p.Target = "" // and there is none of that name
	}
	t.mu.Lock()
	tab, ok := t.tabOf(p.Target)
	t.mu.Unlock()
	if !ok {
		then(nil, ports.NewError(ports.CodeTabGone, "no target with given id found", ""))
		return
	}
	t.x.Post(command, map[string]int{"tab": tab}, changing, func(b json.RawMessage, err error) {
		if err != nil {
			then(nil, err)
			return
		}
		then(shape(b), nil)
	})
}

// event takes what the extension tells of lent tabs.
func (t *Transport) event(method string, params json.RawMessage) {
	switch method {
	case "debugger.event":
		t.debuggerEvent(params)
	case "debugger.detached":
		t.tabGone(params)
	case "tab.opened":
		t.popup(params)
	case "anew":
		t.again()
	case "over":
		_ = t.Close() // never fails
	}
}

func (t *Transport) debuggerEvent(params json.RawMessage) {
	var e struct {
		Tab     int             `json:"tab"`
		Session string          `json:"session"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if json.Unmarshal(params, &e) != nil || !t.lends(e.Tab) {
		return
	}
	m := wire{Session: strconv.Itoa(e.Tab), Method: e.Method, Params: e.Params}
	if e.Session != "" {
		m.Session += "/" + e.Session
	}
	if e.Method == "Target.attachedToTarget" || e.Method == "Target.detachedFromTarget" {
		m.Params = renamed(e.Tab, e.Params)
	}
	if e.Method == "Page.downloadWillBegin" { // a browser's own session tells it under another name
		m = wire{Method: "Browser.downloadWillBegin", Params: saved(e.Params)}
	}
	t.put(m)
}

// saved says of a download that this browser saves it as it does for the person.
func saved(params json.RawMessage) json.RawMessage {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return params
	}
	p["saved"] = json.RawMessage("true")
	return ports.JSON(p)
}

// renamed names a child session after its tab.
func renamed(tab int, params json.RawMessage) json.RawMessage {
	var p map[string]json.RawMessage
	var id string
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p["sessionId"], &id) != nil {
		return params
	}
	p["sessionId"] = ports.JSON(strconv.Itoa(tab) + "/" + id)
	return ports.JSON(p)
}

func (t *Transport) lends(tab int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tabs[tab] != ""
}

// tabGone hears that a tab was closed, or that the person pressed Cancel on the browser's bar.
func (t *Transport) tabGone(params json.RawMessage) {
	var e struct {
		Tab int `json:"tab"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	t.mu.Lock()
	target := t.tabs[e.Tab]
	delete(t.tabs, e.Tab)
	t.mu.Unlock()
	if target != "" {
		t.detached(e.Tab, target)
	}
}

// popup hears of a tab that a lent one opened, to which the extension has attached.
func (t *Transport) popup(params json.RawMessage) {
	var e struct {
		Tab int `json:"tab"`
		attached
	}
	if json.Unmarshal(params, &e) == nil && t.lends(e.Opener) {
		t.adopt(e.Tab, e.attached, true)
	}
}

// again attaches to every lent tab once more, for a background that has forgotten them. The tabs keep their
// documents; child sessions are told anew by the browser.
func (t *Transport) again() {
	t.mu.Lock()
	tabs := make([]int, 0, len(t.tabs))
	for tab := range t.tabs {
		tabs = append(tabs, tab)
	}
	t.mu.Unlock()
	for _, tab := range tabs {
		t.x.Post("debugger.attach", map[string]any{"tab": tab, "again": true}, false, func(_ json.RawMessage, err error) {
			if err != nil {
				t.tabGone(ports.JSON(map[string]int{"tab": tab}))
			}
		})
	}
}
