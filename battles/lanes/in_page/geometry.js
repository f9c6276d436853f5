// Boxes, visibility and hit tests, through same-origin frames and shadow roots.
// Positions are CSS px of this document's own view unless a name says otherwise.

// Enough for the largest real pages; a page built to exhaust a walk is cut here.
const MOST_WALKED = 30000;

function contentOrigin(frame) {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  return {
    x: box.x + frame.clientLeft + parseFloat(style.paddingLeft || 0),
    y: box.y + frame.clientTop + parseFloat(style.paddingTop || 0),
  };
}

function insideDocument(frame) {
  try {
    return frame.contentDocument && frame.contentDocument.documentElement ? frame.contentDocument : null;
  } catch {
    return null;
  }
}

const isFrame = (element) => element.localName === 'iframe' || element.localName === 'frame';

// Roots that their page keeps to itself; the lane fetches them by DevTools (suspects, in elements.js) and hands them over.
const closedRoots = new WeakMap();
const adoptRoot = (host, root) => { closedRoots.set(host, root); };
const shadowOf = (element) => element.shadowRoot || closedRoots.get(element) || null;

// Where a document's view lies in the top one: the sum over the frames that hold it.
function offsetOf(doc) {
  let x = 0;
  let y = 0;
  for (let view = doc.defaultView; view && view !== globalThis; ) {
    const holder = view.frameElement;
    if (!holder) break;
    const origin = contentOrigin(holder);
    x += origin.x;
    y += origin.y;
    view = holder.ownerDocument.defaultView;
  }
  return { x, y };
}

// Calls visit(element, offset) for every element, and foreign(frame, offset) for frames of other origins.
function walk(visit, foreign) {
  let left = MOST_WALKED;
  const into = (root, offset) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let element = walker.nextNode(); element && left-- > 0; element = walker.nextNode()) {
      visit(element, offset);
      const shadow = shadowOf(element);
      if (shadow) into(shadow, offset);
      if (isFrame(element)) {
        const inner = insideDocument(element);
        if (inner) {
          const origin = contentOrigin(element);
          into(inner, { x: offset.x + origin.x, y: offset.y + origin.y });
        } else if (foreign) {
          foreign(element, offset);
        }
      }
    }
  };
  into(document, { x: 0, y: 0 });
}

const inView = (box, offset) =>
  box.width >= 1 && box.height >= 1 &&
  box.right + offset.x > 0 && box.bottom + offset.y > 0 &&
  box.left + offset.x < innerWidth && box.top + offset.y < innerHeight;

// A styled control often hides its real input: opacity is no reason to leave it out, visibility is.
const isRendered = (element) =>
  element.checkVisibility ? element.checkVisibility({ visibilityProperty: true }) : element.getClientRects().length > 0;

// The innermost element at a point, and the point in that element's own document.
function deepest(x, y) {
  let element = document.elementFromPoint(x, y);
  while (element) {
    const shadow = shadowOf(element)?.elementFromPoint(x, y);
    if (shadow && shadow !== element) {
      element = shadow;
      continue;
    }
    const inner = isFrame(element) ? insideDocument(element) : null;
    if (!inner) break;
    const origin = contentOrigin(element);
    x -= origin.x;
    y -= origin.y;
    const found = inner.elementFromPoint(x, y);
    if (!found) break;
    element = found;
  }
  return element;
}

const parentOf = (node) => node.parentNode || node.host || null;

function holds(ancestor, node) {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

// Whether a click that lands on `hit` works `element`: on itself, on something inside it, or on its label.
function works(element, hit) {
  if (!hit) return false;
  if (holds(element, hit)) return true;
  for (const label of element.labels || []) if (holds(label, hit)) return true;
  return false;
}

// A point of the top view at which a click works the element; null when something covers all of it.
function usablePoint(element, offset) {
  const rects = [...element.getClientRects()].slice(0, 3).filter((rect) => rect.width >= 1 && rect.height >= 1);
  if (!rects.length) return null;
  const box = rects.reduce((best, rect) => (rect.width * rect.height > best.width * best.height ? rect : best));
  const left = Math.max(box.left + offset.x, 0);
  const top = Math.max(box.top + offset.y, 0);
  const width = Math.min(box.right + offset.x, innerWidth) - left;
  const height = Math.min(box.bottom + offset.y, innerHeight) - top;
  if (width <= 0 || height <= 0) return null;
  for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1]]) {
    const x = Math.min(Math.floor(left + width * fx), innerWidth - 1);
    const y = Math.min(Math.floor(top + height * fy), innerHeight - 1);
    if (works(element, deepest(x, y))) return { x, y };
  }
  return null;
}
