// Which elements can be acted on, and the references by which agents name them.

const MOST_LISTED = 250;

const CONTROLS = [
  'a[href]', 'area[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'summary', 'option',
  '[contenteditable]:not([contenteditable=false])', '[tabindex]:not([tabindex^="-"])', '[onclick]', '[draggable=true]', 'canvas',
  'video[controls]', 'audio[controls]',
  ...['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
    'combobox', 'listbox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'treeitem', 'gridcell'].map((role) => `[role=${role}]`),
].join(',');

// Controls that hold no other one, whatever is written on their parts.
const ATOMS = 'a[href], button, summary, label, option, [role=button], [role=link], [role=option], [role=tab], [role^=menuitem]';
const MOST_ASKED_LISTENERS = 20;
const LARGEST_ICON = 48;

// What DevTools said of elements' own click listeners; asked once each (listenersToAsk).
const heard = new WeakMap();
const hear = (element, listens) => { heard.set(element, listens); };
let unheard = [];

function askAbout(element, box) {
  if (heard.has(element) || unheard.length >= MOST_ASKED_LISTENERS) return;
  const bareLink = element.localName === 'a' && !element.hasAttribute('href');
  const icon = !element.childElementCount && box.width <= LARGEST_ICON && box.height <= LARGEST_ICON;
  if (bareLink || (icon && getComputedStyle(element).cursor === 'pointer' && element.parentElement && !element.parentElement.closest(ATOMS))) {
    unheard.push(element);
  }
}

function listenersToAsk() {
  const named = unheard;
  unheard = [];
  return named;
}

const hasOwnName = (element) => element.hasAttribute('title') || element.hasAttribute('aria-label');

// A part of something clickable that has a name of its own and takes a small share of it: a bin in a row.
function standsOut(element) {
  if (!hasOwnName(element) || element.closest(ATOMS)) return false;
  const around = element.parentElement?.closest(CONTROLS) || element.parentElement;
  if (!around) return false;
  const own = element.getBoundingClientRect();
  const box = around.getBoundingClientRect();
  const name = squeeze(element.getAttribute('aria-label') || element.getAttribute('title'), LONGEST_NAME);
  return own.width * own.height * 4 <= box.width * box.height && name !== squeeze(element.textContent, LONGEST_NAME);
}

// Scripts attach listeners to anything; a pointer cursor that begins at an element is the sign they leave.
function looksClickable(element) {
  if (element.localName === 'label' && element.control) return false;
  if (heard.get(element)) return true;
  if (element.localName === 'a' && !element.hasAttribute('href') && hasOwnName(element)) return true;
  if (getComputedStyle(element).cursor !== 'pointer') return false;
  if (standsOut(element)) return true;
  const parent = element.parentElement;
  return !parent || (getComputedStyle(parent).cursor !== 'pointer' && !parent.closest(CONTROLS));
}

const references = new Map();
const numbers = new WeakMap();

function referenceOf(element, counter) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = counter.next++;
    numbers.set(element, number);
  }
  const reference = `ref_${number}`;
  references.set(reference, new WeakRef(element));
  return reference;
}

// Whether a reference is still valid is the lane's to say; here only what is gone is dropped.
function forgetDead() {
  for (const [reference, held] of references) if (!held.deref()?.isConnected) references.delete(reference);
}

function describe(element, offset, counter) {
  const box = element.getBoundingClientRect();
  const name = nameOf(element);
  return {
    ref: counter ? referenceOf(element, counter) : '',
    role: roleOf(element),
    name,
    x: Math.round(box.x + offset.x),
    y: Math.round(box.y + offset.y),
    width: Math.round(box.width),
    height: Math.round(box.height),
    value: valueOf(element),
    state: stateOf(element, name),
  };
}

// Elements that may hold a root closed to scripts: what only custom elements and empty-looking boxes do. Each is
// asked about a few times, since a root may come after its element, and then left alone.
const HOST_NAMES = /^(?:article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
const MOST_SUSPECTS = 20;
const MOST_ASKED = 3;
const asked = new WeakMap();
let suspected = [];

function suspect(element, box) {
  if (suspected.length >= MOST_SUSPECTS || shadowOf(element) || box.height < 4) return;
  const custom = element.localName.includes('-');
  if (!custom && !HOST_NAMES.test(element.localName)) return;
  const child = element.firstElementChild;
  const looksEmpty = child ? !child.assignedSlot && !child.getClientRects().length : !element.textContent.trim();
  if (!custom && !looksEmpty) return;
  const times = asked.get(element) || 0;
  if (times < MOST_ASKED) {
    asked.set(element, times + 1);
    suspected.push(element);
  }
}

function suspects() {
  const named = suspected;
  suspected = [];
  return named;
}

// Interactive elements: those in view that nothing covers, or (whole) all of the document's.
function listElements(counter, { whole = false, within = null } = {}) {
  const listed = [];
  const foreign = [];
  let more = false;
  lookAnew();
  walk((element, offset) => {
    if (within && !holds(within, element)) return;
    if (listed.length >= MOST_LISTED) {
      more = true;
      return;
    }
    const box = element.getBoundingClientRect();
    if (whole ? box.width < 1 || box.height < 1 : !inView(box, offset)) return;
    suspect(element, box);
    askAbout(element, box);
    if (!element.matches(CONTROLS) && !looksClickable(element)) return;
    if (!isRendered(element) || isVeiledControl(element)) return;
    if (!whole && !usablePoint(element, offset)) return;
    listed.push(describe(element, offset, counter));
  }, (frame, offset) => {
    const box = frame.getBoundingClientRect();
    if (inView(box, offset) && isSeen(frame) && usablePoint(frame, offset)) foreign.push(1);
  });
  return { elements: listed, foreign: foreign.length, more };
}

const elementOf = (reference) => {
  const element = references.get(reference)?.deref();
  return element && element.isConnected ? element : null;
};

// The control that a point belongs to: the element itself or the nearest ancestor that is one.
function controlAt(element) {
  for (let at = element; at; at = parentOf(at)) {
    if (at.nodeType !== 1) continue;
    if (at.matches(CONTROLS) || looksClickable(at)) return at;
    if (at.localName === 'label' && at.control) return at.control;
  }
  return element;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

function facts(element) {
  lookAnew();
  const offset = offsetOf(element.ownerDocument);
  const described = describe(element, offset, null);
  if (!element.matches(CONTROLS) && !looksClickable(element)) {
    const whole = element === element.ownerDocument.body || element === element.ownerDocument.documentElement;
    described.role = whole ? 'page' : element.localName === 'label' ? 'label' : 'text';
    described.name = whole ? '' : squeeze(seenWords(element, 61), 60);
  }
  const scheme = (SCHEME.exec(element.getAttribute?.('href') || '') || [])[1];
  return {
    ...described,
    tag: element.localName,
    kind: element.localName === 'input' ? element.type : '',
    scheme: scheme ? scheme.toLowerCase() : '',
    foreign: isFrame(element) && !insideDocument(element),
  };
}

function at(x, y) {
  const hit = deepest(x, y);
  return hit ? facts(controlAt(hit)) : null;
}

// Brings a referenced element into view and says where to act on it.
function locate(reference) {
  const element = elementOf(reference);
  if (!element) return { missing: true };
  const offset = () => offsetOf(element.ownerDocument);
  const shown = () => {
    const box = element.getBoundingClientRect();
    return inView(box, offset());
  };
  if (!isRendered(element) || !element.getClientRects().length) return { hidden: true, ...facts(element) };
  if (!shown() || !usablePoint(element, offset())) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const point = usablePoint(element, offset());
  return point ? { point, ...facts(element) } : { covered: true, by: coveredBy(element, offset()), ...facts(element) };
}

// For a frame of another origin, which takes its own view for the whole one: scrolls the pages around it too.
function bring(reference) {
  elementOf(reference)?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  return true;
}

function coveredBy(element, offset) {
  const box = element.getBoundingClientRect();
  const hit = deepest(box.x + box.width / 2 + offset.x, box.y + box.height / 2 + offset.y);
  return hit ? squeeze(`${roleOf(hit)} ${nameOf(hit)}`, 80) : '';
}
