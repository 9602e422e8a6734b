package scripted

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the two formats that a browser gives
	_ "image/png"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// maxSide is the longest side of a picture, CSS px.
const maxSide = 16_000

// Capture implements ports.Tab; the tab need not be shown. Secret fields are covered before it is taken.
func (t *Tab) Capture(ctx context.Context, c ports.Capture) (ports.Image, error) {
	if err := t.problem(); err != nil {
		return ports.Image{}, err
	}
	args := obj{"tab": t.number, "format": "jpeg", "quality": orElse(c.Quality, 75)}
	mime := "image/jpeg"
	if c.Format == "png" {
		mime, args["format"] = "image/png", "png"
	}
	rect, err := t.part(ctx, c)
	if err != nil {
		return ports.Image{}, err
	}
	if rect != nil {
		args["rect"] = rect
	}
	if err := t.refresh(ctx); err != nil {
		return ports.Image{}, err
	}
	t.b.mu.Lock()
	var names []string
	for _, f := range t.sorted() {
		names = append(names, frameName(f.n))
	}
	t.b.mu.Unlock()
	for _, n := range names {
		if _, err := t.script(ctx, n, "act", "mask", nil); err != nil && (n == "f0" || !out(err)) {
			return ports.Image{}, err // a picture with secrets in it is none
		}
		defer func() { _, _ = t.script(ctx, n, "act", "unmask", nil) }() // the next document has no masks
	}
	var data string
	if err := t.b.do(ctx, "tab.capture", args, false, &data); err != nil {
		return ports.Image{}, t.explain(err)
	}
	_, text, ok := strings.Cut(data, ";base64,")
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !ok {
		return ports.Image{}, ports.NewError(ports.CodeFault, "the picture is not base64", "try again")
	}
	w, h := sizeOf(b)
	return ports.Image{MIME: mime, Data: b, Width: w, Height: h}, nil
}

// out says that a frame is gone, or shows what no extension may see: an empty page, or one of the browser's own.
func out(err error) bool {
	c := ports.CodeOf(err)
	return c == ports.CodeStaleRef || c == ports.CodeRefused
}

// part is the rectangle of the page that is wanted, nil for the viewport.
func (t *Tab) part(ctx context.Context, c ports.Capture) (obj, error) {
	if !c.Full && c.Ref == "" {
		return nil, nil
	}
	var w struct{ ScrollX, ScrollY, PageWidth, PageHeight float64 }
	if c.Ref == "" {
		if err := t.ask(ctx, "f0", "window", obj{}, &w); err != nil {
			return nil, err
		}
		return obj{"x": 0, "y": 0, "width": min(w.PageWidth, maxSide), "height": min(w.PageHeight, maxSide)}, nil
	}
	if ports.FrameOf(c.Ref) != "f0" {
		return nil, ports.NewError(ports.CodeInvalidArgs, "an element in a frame cannot be pictured by itself here", "take a picture of the whole tab")
	}
	var at struct{ Rect struct{ X, Y, W, H float64 } }
	if err := t.ask(ctx, "f0", "point", obj{"ref": c.Ref, "scroll": true}, &at); err != nil {
		return nil, err
	}
	if err := t.ask(ctx, "f0", "window", obj{}, &w); err != nil {
		return nil, err
	}
	r := at.Rect
	if r.W < 1 || r.H < 1 {
		return nil, ports.NewError(ports.CodeNotActionable, "it has no size", "take a picture of the whole tab")
	}
	return obj{"x": r.X + w.ScrollX, "y": r.Y + w.ScrollY, "width": min(r.W, maxSide), "height": min(r.H, maxSide)}, nil
}

func sizeOf(b []byte) (w, h int) {
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

func orElse(v, d int) int {
	if v == 0 {
		return d
	}
	return v
}
