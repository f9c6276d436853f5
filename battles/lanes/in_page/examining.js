// What can be read in the view, word by word with its box, and the fields in it: what the masks of a picture are made
// of. It is told together with the elements, while the picture is taken, and what it says is never stored.

const MOST_WORDS = 5000;
// Words are asked about in runs of so many, since a long text is mostly out of view.
const RUN = 40;
const UNDRAWN = /^(?:hidden|checkbox|radio|range|color|image|file)$/;
const EDITED = '[contenteditable]:not([contenteditable=false]), [role=textbox], [role=searchbox]';

const placed = (box, offset) => [box.left + offset.x, box.top + offset.y, box.width, box.height];

// The part of a box that the scrolled pane around its element shows; null when there is none.
function shownPart(box, holder) {
  const pane = veilOf(holder).pane;
  if (!pane || pane.ownerDocument !== holder.ownerDocument) return box;
  const frame = pane.getBoundingClientRect();
  const left = Math.max(box.left, frame.left);
  const top = Math.max(box.top, frame.top);
  const width = Math.min(box.right, frame.right) - left;
  const height = Math.min(box.bottom, frame.bottom) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : null;
}

// One range for each document: every living range is kept up to date with every change of the page.
const rulers = new WeakMap();
function rulerOf(doc) {
  if (!rulers.has(doc)) rulers.set(doc, doc.createRange());
  return rulers.get(doc);
}

function readWords(node, holder, offset, seen) {
  const range = rulerOf(holder.ownerDocument);
  range.selectNodeContents(node);
  if (!inView(range.getBoundingClientRect(), offset) || veilOf(holder).gone) return;
  if (getComputedStyle(holder).visibility !== 'visible') return;
  const words = [...node.data.matchAll(/\S+/g)];
  for (let first = 0; first < words.length; first += RUN) {
    const run = words.slice(first, first + RUN);
    const last = run[run.length - 1];
    range.setStart(node, run[0].index);
    range.setEnd(node, last.index + last[0].length);
    if (!inView(range.getBoundingClientRect(), offset)) continue;
    for (const word of run) {
      if (seen.words.length >= MOST_WORDS) { seen.cut = true; return; }
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const boxes = [...range.getClientRects()].filter((box) => box.height >= SMALLEST_LETTERS && inView(box, offset))
        .map((box) => shownPart(box, holder)).filter(Boolean);
      if (boxes.length) seen.words.push([word[0], ...boxes.map((box) => placed(box, offset))]);
    }
  }
}

function readField(element, offset, seen) {
  const box = element.getBoundingClientRect();
  const type = element.localName === 'input' ? element.type : element.localName;
  if (UNDRAWN.test(type) || !inView(box, offset) || !isRendered(element)) return;
  const part = shownPart(box, element);
  if (!part) return;
  const said = ['name', 'id', 'placeholder', 'aria-label', 'title'].map((each) => element.getAttribute(each) || '');
  const value = FACED.test(element.localName) ? drawnValue(element) : element.innerText || '';
  seen.fields.push([placed(part, offset), type, element.getAttribute('autocomplete') || '',
    [labelOf(element), ...said].map((each) => squeeze(each, LONGEST_NAME)), value.slice(0, 2000)]);
}

// What shows a document that this script cannot enter: by its content box, as DevTools measures it.
function readClosed(element, offset, seen) {
  const box = element.getBoundingClientRect();
  if (!inView(box, offset) || !isRendered(element) || veilOf(element).gone) return;
  const origin = contentOrigin(element);
  const style = getComputedStyle(element);
  const inner = (size, before, after) => size - parseFloat(style[before] || 0) - parseFloat(style[after] || 0);
  seen.closed.push([origin.x + offset.x, origin.y + offset.y,
    inner(element.clientWidth, 'paddingLeft', 'paddingRight'), inner(element.clientHeight, 'paddingTop', 'paddingBottom')]);
}

function examined() {
  const seen = { words: [], fields: [], closed: [], cut: false };
  let visited = 0;
  lookAnew();
  const texts = (parent, holder, offset) => {
    for (const child of parent.childNodes) {
      if (child.nodeType === 3 && child.length && child.data.trim()) readWords(child, holder, offset, seen);
    }
  };
  walk((element, offset) => {
    visited++;
    if (FACED.test(element.localName)) return readField(element, offset, seen);
    if (element.localName === 'embed' || element.localName === 'object') return readClosed(element, offset, seen);
    if (MUTE.test(element.localName)) return undefined;
    if (element.matches(EDITED)) readField(element, offset, seen);
    texts(element, element, offset);
    const shadow = shadowOf(element);
    if (shadow) texts(shadow, element, offset);
    return undefined;
  }, (frame, offset) => readClosed(frame, offset, seen));
  seen.cut = seen.cut || visited >= MOST_WALKED;
  return seen;
}
