// What of a page can be seen, wherever it is scrolled to, and the words that can be read there.
// The rule is stated in docs/hazards.md, "What counts as seen".

const FAINTEST = 0.05;
// Smaller boxes and letters than these, in px, show nothing that anybody could read.
const SMALLEST_BOX = 3;
const SMALLEST_LETTERS = 4;

// Veils are remembered for one pass over the page: { opacity, lost, cut, gone, pane, fixed }.
let veils = new WeakMap();
const lookAnew = () => { veils = new WeakMap(); };

const above = (element) => {
  if (element.assignedSlot) return element.assignedSlot;
  const parent = parentOf(element);
  if (!parent) return null;
  if (parent.nodeType === 9) { try { return parent.defaultView?.frameElement || null; } catch { return null; } }
  return parent.nodeType === 11 ? parent.host || null : parent;
};

const OPEN = { opacity: 1, lost: false, cut: '', gone: false, pane: null, fixed: false };

function veilOf(element) {
  if (!element || element.nodeType !== 1) return OPEN;
  let veil = veils.get(element);
  if (!veil) {
    veil = veiled(element, veilOf(above(element)));
    veils.set(element, veil);
  }
  return veil;
}

function veiled(element, outer) {
  if (outer.lost) return outer;
  const style = getComputedStyle(element);
  const opacity = outer.opacity * parseFloat(style.opacity || 1);
  const lost = opacity < FAINTEST || style.display === 'none' || clipsAll(element, style);
  const cut = cutBy(element, style, outer.cut);
  const pane = scrolls(element, style) ? element : isFrame(element) ? null : outer.pane;
  const fixed = pane === element ? false : outer.fixed || style.position === 'fixed';
  return { opacity, lost, cut, gone: lost || cut !== '', pane, fixed };
}

const scrolls = (element, style) => /auto|scroll/.test(style.overflowX + style.overflowY)
  && (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);

// '' or what is cut off by a box too small to show it: 'all', or 'flow', which what is placed absolutely escapes.
// A page's own overflow belongs to its view, however small its body is.
function cutBy(element, style, outer) {
  if (outer === 'all') return 'all';
  const placed = style.position !== 'static' || style.transform !== 'none';
  const small = (size, flow) => /hidden|clip/.test(flow) && size < SMALLEST_BOX;
  const clips = !/^(?:html|body)$/.test(element.localName) && !/^(?:inline|contents)$/.test(style.display)
    && (small(element.clientWidth, style.overflowX) || small(element.clientHeight, style.overflowY));
  if (clips) return placed ? 'all' : 'flow';
  return /absolute|fixed/.test(style.position) ? '' : outer;
}

function clipsAll(element, style) {
  if (style.clip && style.clip !== 'auto' && /absolute|fixed/.test(style.position)) {
    const [top, right, bottom, left] = (style.clip.match(/-?[\d.]+px|auto/g) || []).map(parseFloat);
    if (right - left < SMALLEST_BOX || bottom - top < SMALLEST_BOX) return true;
  }
  return pathClipsAll(style.clipPath || 'none');
}

function pathClipsAll(path) {
  const inset = /^inset\(([^)]*)\)/.exec(path);
  if (inset) {
    const sides = inset[1].split(' round ')[0].trim().split(/\s+/).map((side) => (side.endsWith('%') ? parseFloat(side) : 0));
    const [top, right = top, bottom = top, left = right] = sides;
    return top + bottom >= 99 || left + right >= 99;
  }
  if (/^(?:circle|ellipse)\(0(?:px|%)?[\s)]/.test(path)) return true;
  const corners = /^polygon\((.*)\)$/.exec(path);
  if (!corners) return false;
  const points = corners[1].split(',').map((corner) => corner.trim().split(/\s+/).slice(-2).join(' '));
  return new Set(points.map((point) => point.split(' ')[0])).size < 2 || new Set(points.map((point) => point.split(' ')[1])).size < 2;
}

// Whether scrolling, of the page or of the pane that holds it, can bring a box to the eye.
function reachable(box, element, veil) {
  const view = element.ownerDocument.defaultView;
  if (veil.fixed) return box.right > 0 && box.bottom > 0 && box.left < view.innerWidth && box.top < view.innerHeight;
  const pane = veil.pane?.ownerDocument === element.ownerDocument ? veil.pane : null;
  const frame = pane ? pane.getBoundingClientRect() : { left: 0, top: 0 };
  const root = element.ownerDocument.documentElement;
  const across = pane ? pane.scrollLeft : view.scrollX;
  const down = pane ? pane.scrollTop : view.scrollY;
  if (box.bottom - frame.top + down <= 0) return false;
  if (getComputedStyle(pane || root).direction === 'rtl') return box.left - frame.left + across < (pane || root).clientWidth;
  return box.right - frame.left + across > 0;
}

// Words that an indent has pushed out of a box that shows nothing beyond its edge.
function pushedOut(box, element, style) {
  if (!parseFloat(style.textIndent)) return false;
  for (let at = element; at && at.nodeType === 1; at = above(at)) {
    const own = getComputedStyle(at);
    if (own.display === 'inline' || !/hidden|clip/.test(own.overflowX)) continue;
    const edge = at.getBoundingClientRect();
    return box.right <= edge.left || box.left >= edge.right;
  }
  return false;
}

// Whether the element's own box can be seen, as far as its ancestors let it.
function isSeen(element) {
  const veil = veilOf(element);
  return !veil.gone && isRendered(element) && reachable(element.getBoundingClientRect(), element, veil);
}

function textIsSeen(node, holder, style) {
  const range = holder.ownerDocument.createRange();
  range.selectNodeContents(node);
  const veil = veilOf(holder);
  for (const box of range.getClientRects()) {
    if (box.height < SMALLEST_LETTERS || box.width < 1) continue;
    return reachable(box, holder, veil) && !pushedOut(box, holder, style);
  }
  return false;
}

// Something of it is drawn: what has no words of its own is a control only by that.
function paints(element) {
  const parts = [element, ...[...element.querySelectorAll('*')].slice(0, 30)];
  return parts.some((part) => {
    if (/^(?:img|svg|canvas|video|picture|input|select|textarea)$/.test(part.localName)) return isSeen(part);
    const style = getComputedStyle(part);
    const box = part.getBoundingClientRect();
    if (box.width < SMALLEST_BOX || box.height < SMALLEST_BOX || veilOf(part).gone) return false;
    if (style.backgroundImage !== 'none' || !/^(?:transparent|rgba\(.*, 0\))$/.test(style.backgroundColor)) return true;
    if ((style.maskImage || 'none') !== 'none' || parseFloat(style.borderTopWidth) || parseFloat(style.borderBottomWidth)) return true;
    return ['::before', '::after'].some((mark) => !/^(?:none|normal|""|)$/.test(getComputedStyle(part, mark).content));
  });
}

// Form controls are often transparent, with something drawn in their place.
const FACED = /^(?:input|select|textarea)$/;
const isVeiledControl = (element) => !FACED.test(element.localName) && (veilOf(element).gone || !reachable(element.getBoundingClientRect(), element, veilOf(element)));

const MUTE = /^(?:script|style|noscript|template|head|title|datalist|canvas|video|audio|object|option|optgroup)$/;
const BLOCKS = /^(?:block|flex|grid|table|list-item|flow-root|table-row|table-caption|table-row-group|table-header-group|table-footer-group)$/;
const BREAKS = { none: '', space: ' ', cell: '\t', line: '\n', paragraph: '\n\n' };
const STRENGTH = ['none', 'space', 'cell', 'line', 'paragraph'];

class Words {
  constructor(limit) {
    this.limit = limit;
    this.parts = [];
    this.length = 0;
    this.gap = 'none';
    this.left = MOST_WALKED;
  }

  part(gap) { if (STRENGTH.indexOf(gap) > STRENGTH.indexOf(this.gap)) this.gap = gap; }

  say(text) {
    if (!text) return;
    if (this.length) this.parts.push(BREAKS[this.gap]);
    this.gap = 'none';
    this.parts.push(text);
    this.length += text.length;
  }

  get full() { return this.length >= this.limit || this.left <= 0; }

  toString() { return this.parts.join(''); }
}

const CASES = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(^|\s)(\p{L})/gu, (all, before, letter) => before + letter.toUpperCase()),
};

function sayText(node, holder, words) {
  if (!node.data.trim()) {
    if (node.data) words.part('space');
    return;
  }
  const style = getComputedStyle(holder);
  if (style.visibility !== 'visible' || veilOf(holder).gone || !textIsSeen(node, holder, style)) return;
  const cased = (CASES[style.textTransform] || ((text) => text))(node.data);
  if (/^(?:pre|pre-wrap|break-spaces)$/.test(style.whiteSpace)) {
    words.say(cased);
    return;
  }
  const plain = style.whiteSpace === 'pre-line' ? cased.replace(/[^\S\n]+/g, ' ') : cased.replace(/[ \t\r\n\f]+/g, ' ');
  if (plain.startsWith(' ')) words.part('space');
  words.say(plain.trim());
  if (plain.endsWith(' ')) words.part('space');
}

const childrenOf = (element) => {
  if (element.localName === 'slot') {
    const given = element.assignedNodes();
    if (given.length) return given;
  }
  return (shadowOf(element) || element).childNodes;
};

// The value of a field as it is drawn; nothing for those that draw none.
function drawnValue(field) {
  if (field.localName !== 'input') return wholeValue(field);
  if (/^(?:submit|reset|button)$/.test(field.type)) return field.value || { submit: 'Submit', reset: 'Reset' }[field.type] || '';
  return /^(?:checkbox|radio|range|color|image|hidden)$/.test(field.type) ? '' : wholeValue(field);
}

function sayElement(element, words) {
  if (words.full || MUTE.test(element.localName)) return;
  words.left--;
  if (element.localName === 'br') return words.part('line');
  const veil = veilOf(element);
  if (veil.lost || veil.cut === 'all' || !(element.checkVisibility?.() ?? true) && getComputedStyle(element).display !== 'contents') return;
  if (FACED.test(element.localName)) {
    const gap = element.localName === 'textarea' ? 'line' : 'space';
    words.part(gap);
    if (isSeen(element)) words.say(drawnValue(element));
    words.part(gap);
    return;
  }
  const display = getComputedStyle(element).display;
  const gap = element.localName === 'p' ? 'paragraph' : BLOCKS.test(display) || isFrame(element) ? 'line' : display === 'table-cell' ? 'cell' : 'none';
  words.part(gap);
  if (isFrame(element)) sayChildren(insideDocument(element)?.body, words);
  else sayChildren(element, words);
  words.part(gap);
}

function sayChildren(element, words) {
  if (!element) return;
  for (const child of childrenOf(element)) {
    if (words.full) return;
    if (child.nodeType === 1) sayElement(child, words);
    else if (child.nodeType === 3) sayText(child, child.parentElement || child.getRootNode().host || element, words);
  }
}

// The words of an element that can be seen, in the order and with the breaks that a reader sees.
function seenWords(element, limit = Infinity) {
  const words = new Words(limit);
  if (element) {
    if (element.localName === 'body' || isFrame(element)) sayChildren(element, words);
    else sayElement(element, words);
  }
  return words.toString();
}
