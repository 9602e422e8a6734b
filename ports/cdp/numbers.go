package cdp

// RefsAbove makes every ref that is given out from now on, in any tab, higher than n. A run that goes on
// in a new browser passes the highest number it has seen, so that a ref of the old one is never an element
// of the new one. Call it before pages are read.
func (b *Browser) RefsAbove(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refBase = max(b.refBase, n)
	for _, t := range b.tabs {
		t.maxRef = max(t.maxRef, n)
	}
}
