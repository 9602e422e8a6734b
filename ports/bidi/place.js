// Where a point of a frame's viewport, w by h of its own pixels, lies in the viewport of the document that holds
// the frame, and whether the frame is what is met there. The middle of an element's bounding box is the image of
// its own middle under any chain of flat transforms, so their shifts and origins need not be known.
function (ref, x, y, w, h) {
  if (!Object.hasOwn(globalThis, '__wb')) return '';
  const frame = __wb.node(ref), style = getComputedStyle(frame), box = frame.getBoundingClientRect();
  let all = new DOMMatrix();
  for (let n = frame; n; n = n.assignedSlot ?? n.parentNode ?? n.host) {
    if (n.nodeType !== 1) continue;
    const s = getComputedStyle(n), own = [s.rotate === 'none' ? '' : turn(s.rotate), s.scale === 'none' ? '' : 'scale(' + s.scale.split(' ').join() + ')', s.transform === 'none' ? '' : s.transform];
    const text = own.filter(Boolean).join(' ');
    if (text) all = new DOMMatrix(text).multiply(all);
  }
  const px = (v) => parseFloat(v) || 0, W = frame.offsetWidth, H = frame.offsetHeight;
  const left = px(style.paddingLeft), top = px(style.paddingTop);
  const dx = frame.clientLeft + left + x * (frame.clientWidth - left - px(style.paddingRight)) / w - W / 2;
  const dy = frame.clientTop + top + y * (frame.clientHeight - top - px(style.paddingBottom)) / h - H / 2;
  // What zoom does to all of it shows in the size of the box.
  const kx = box.width / (Math.abs(all.a) * W + Math.abs(all.c) * H), ky = box.height / (Math.abs(all.b) * W + Math.abs(all.d) * H);
  const at = { x: box.x + box.width / 2 + kx * (all.a * dx + all.c * dy), y: box.y + box.height / 2 + ky * (all.b * dx + all.d * dy) };
  return JSON.stringify({ ...at, met: frame.getRootNode().elementFromPoint(at.x, at.y) === frame });

  function turn(s) {
    const v = s.split(' ');
    return v.length === 1 ? 'rotate(' + s + ')' : v.length === 2 ? 'rotate' + v[0].toUpperCase() + '(' + v[1] + ')' : 'rotate3d(' + v.join() + ')';
  }
}
