package bidi

import (
	"context"
	"time"
)

// pass lets a request that waits for us go on, or fails it.
func (b *Browser) pass(e exchange, refused error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	method := "network.continueRequest"
	if refused != nil {
		method = "network.failRequest"
	}
	_ = b.c.call(ctx, nil, method, obj{"request": e.Request.Request}, nil) // given up by the page, or one that Firefox does not hold: embed and object
}
