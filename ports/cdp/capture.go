package cdp

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the formats that a browser answers
	_ "image/png"
	"math"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/wb-agent/wb/ports"
)

// captureTime bounds a picture whose caller set no deadline; maxHeight is how much of a long page fits in one.
const (
	captureTime = 15 * time.Second
	maxHeight   = 16000
)

// Capture implements ports.Tab. Secret fields of every frame are covered while it is taken.
func (t *Tab) Capture(ctx context.Context, c ports.Capture) (ports.Image, error) {
	ctx, cancel := context.WithTimeout(ctx, captureTime)
	defer cancel()
	p, err := t.shot(ctx, c)
	if err != nil {
		return ports.Image{}, err
	}
	unmask, err := t.mask(ctx)
	defer unmask()
	if err != nil {
		return ports.Image{}, err
	}
	// A background tab has no frames to show and would hang; a tiny screencast makes it produce some.
	cast := page.StartScreencastParams{Format: page.StartScreencastFormatJpeg, Quality: new(int64(1)), MaxWidth: 16, MaxHeight: 16}
	if err := t.call(ctx, t.session, page.CommandStartScreencast, cast, nil); err != nil {
		return ports.Image{}, t.inputError(ctx, err)
	}
	defer t.b.conn.post(t.session, page.CommandStopScreencast, nil, nil)
	var r struct {
		Data string `json:"data"`
	}
	if err := t.call(ctx, t.session, page.CommandCaptureScreenshot, p, &r); err != nil {
		return ports.Image{}, t.inputError(ctx, err)
	}
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		return ports.Image{}, &ports.Error{Code: ports.CodeUnknown, Msg: "the browser's picture cannot be read", Err: err}
	}
	img := ports.Image{MIME: "image/" + string(p.Format), Data: data}
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		img.Width, img.Height = cfg.Width, cfg.Height
	}
	return img, nil
}

func (t *Tab) shot(ctx context.Context, c ports.Capture) (page.CaptureScreenshotParams, error) {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: new(int64(75))}
	switch c.Format {
	case "", "jpeg":
		if c.Quality > 0 && c.Quality <= 100 {
			p.Quality = new(int64(c.Quality))
		}
	case "png":
		p.Format, p.Quality = page.CaptureScreenshotFormatPng, nil
	default:
		return p, ports.NewError(ports.CodeInvalidArgs, "picture format "+quoted(c.Format), "use png or jpeg")
	}
	switch {
	case c.Ref != "":
		clip, err := t.boxOf(ctx, c.Ref)
		if err != nil {
			return p, err
		}
		p.Clip = clip
	case c.Full:
		var v struct{ PageWidth, PageHeight float64 }
		if err := t.ask(ctx, "f0", "read", "window", nil, &v); err != nil {
			return p, err
		}
		p.Clip = &page.Viewport{Width: math.Max(1, v.PageWidth), Height: math.Max(1, math.Min(v.PageHeight, maxHeight)), Scale: 1}
		p.CaptureBeyondViewport = new(true)
	}
	return p, nil
}

// boxOf is an element's box on the page, in the coordinates that a clip wants.
func (t *Tab) boxOf(ctx context.Context, ref string) (*page.Viewport, error) {
	name, err := frameOf(ref)
	if err != nil {
		return nil, err
	}
	if err := t.showFrame(ctx, name); err != nil {
		return nil, err
	}
	var p struct {
		Rect struct{ X, Y, W, H float64 }
	}
	if err := t.ask(ctx, name, "read", "point", map[string]any{"ref": ref}, &p); err != nil {
		return nil, err
	}
	f, _, _, err := t.up(name)
	if err != nil {
		return nil, err
	}
	a, err := t.toTop(ctx, f, xy{p.Rect.X, p.Rect.Y})
	if err != nil {
		return nil, err
	}
	b, err := t.toTop(ctx, f, xy{p.Rect.X + p.Rect.W, p.Rect.Y + p.Rect.H})
	if err != nil {
		return nil, err
	}
	var v struct{ ScrollX, ScrollY float64 }
	if err := t.ask(ctx, "f0", "read", "window", nil, &v); err != nil {
		return nil, err
	}
	return &page.Viewport{X: a.X + v.ScrollX, Y: a.Y + v.ScrollY, Width: math.Max(1, b.X-a.X), Height: math.Max(1, b.Y-a.Y), Scale: 1}, nil
}

// mask covers the secret fields of every frame; a frame that cannot be asked stops the picture.
func (t *Tab) mask(ctx context.Context) (unmask func(), err error) {
	frames, err := t.Frames(ctx)
	if err != nil {
		return func() {}, err
	}
	var done []string
	unmask = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		for _, f := range done {
			_ = t.ask(ctx, f, "act", "unmask", nil, nil) // a document that went away took its boxes along
		}
	}
	for _, f := range frames {
		err := t.ask(ctx, f.ID, "act", "mask", nil, nil)
		if code := ports.CodeOf(err); code == ports.CodeStaleRef || code == ports.CodeUnknown {
			continue
		}
		if err != nil {
			return unmask, err
		}
		done = append(done, f.ID)
	}
	return unmask, nil
}
