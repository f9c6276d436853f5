// What the whole page shows: its text, its fingerprint, its overlays, and when it has come to rest.

const documents = () => {
  const found = [document];
  walk((element) => { if (isFrame(element)) { const inner = insideDocument(element); if (inner) found.push(inner); } });
  return found;
};

function shadowRoots(doc) {
  const found = [];
  const into = (root) => {
    for (const element of root.querySelectorAll('*')) {
      const shadow = shadowOf(element);
      if (shadow) { found.push(shadow); into(shadow); }
      if (found.length > 500) return;
    }
  };
  into(doc);
  return found;
}

const textOfRoot = (root) => [...root.children].map((child) => child.innerText ?? '').join('\n');

function visibleText(docs) {
  const parts = [];
  for (const doc of docs) {
    parts.push(doc.body ? doc.body.innerText ?? '' : doc.documentElement?.textContent ?? '');
    for (const root of shadowRoots(doc)) parts.push(textOfRoot(root));
  }
  return parts.join('\n').trim();
}

const isField = (element) => FACED.test(element.localName);

// Two 32-bit FNV-1a lanes over UTF-16 units: quick, and equality is all that is asked of it.
function hash(text) {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + 0x9e37), 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

function fingerprint(docs, text) {
  const parts = [location.href, document.title, text];
  let place = 0;
  const focus = focusedElement();
  for (const doc of docs) {
    parts.push(`${Math.round(doc.defaultView?.scrollX || 0)},${Math.round(doc.defaultView?.scrollY || 0)}`);
  }
  walk((element) => {
    place++;
    if (element.scrollTop || element.scrollLeft) parts.push(`s${place}:${Math.round(element.scrollLeft)},${Math.round(element.scrollTop)}`);
    const tag = element.localName;
    if (tag === 'input' || tag === 'textarea' || tag === 'select') {
      parts.push(`v${place}:${element.type}:${element.value}:${element.checked ? 1 : 0}:${element.selectedIndex ?? ''}`);
      if (tag === 'input' && element.type === 'file') parts.push(`f${[...element.files].map((file) => file.name)}`);
    }
    if (element === focus) parts.push(`a${place}`);
  });
  return hash(parts.join('\u0001'));
}

// The page keeps moving whatever anybody does: an endless animation, or a playing video.
const isRestless = (docs) => docs.some((doc) =>
  (doc.getAnimations?.() || []).some((animation) => animation.playState === 'running' && animation.effect?.getComputedTiming().endTime === Infinity)
  || [...doc.querySelectorAll('video')].some((video) => !video.paused && !video.ended));

const isTransitioning = () => (document.getAnimations?.() || []).some(
  (animation) => animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity);

// The overlay rule. "dialog": an element in view that is an open modal dialog, or says it is a dialog
// (role dialog or alertdialog, or aria-modal). "fixed": an element of fixed position that is on top at one
// of 25 points of the view, covers at least 15% of the view and holds less than half of the page's text.
const FIXED_SHARE = 0.15;

function overlay(text) {
  for (const element of document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]')) {
    const box = element.getBoundingClientRect();
    if (inView(box, { x: 0, y: 0 }) && isRendered(element)) return 'dialog';
  }
  const asked = new Set();
  for (let column = 1; column <= 5; column++) {
    for (let row = 1; row <= 5; row++) {
      let element = document.elementFromPoint((innerWidth * column) / 6, (innerHeight * row) / 6);
      for (; element && element !== document.body && !asked.has(element); element = element.parentElement) {
        asked.add(element);
        if (getComputedStyle(element).position !== 'fixed') continue;
        const box = element.getBoundingClientRect();
        const seen = Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0)) * Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
        if (seen / (innerWidth * innerHeight) >= FIXED_SHARE && (element.innerText || '').length * 2 < text.length) return 'fixed';
      }
    }
  }
  return '';
}

// Native drop-down popups are drawn by the browser but take no clicks; drawn by the page they do. The text
// caret blinks, which would make two pictures of one page differ.
const LANE_STYLE = `
  select:not([multiple]):is(:not([size]), [size="1"]), select:not([multiple]):is(:not([size]), [size="1"])::picker(select) { appearance: base-select; }
  * { caret-color: transparent !important; }`;
const styled = new WeakMap();

function applyStyle(root) {
  let sheet = styled.get(root);
  if (!sheet) {
    const view = (root.ownerDocument || root).defaultView;
    if (!view) return;
    sheet = new view.CSSStyleSheet();
    sheet.replaceSync(LANE_STYLE);
    styled.set(root, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

const notes = [];
addEventListener('beforeprint', () => notes.push('print'));

async function leaveFullscreen() {
  if (!document.fullscreenElement) return;
  notes.push('fullscreen');
  await document.exitFullscreen().catch(() => {});
}

function observe(next) {
  const counter = { next };
  const docs = documents();
  for (const doc of docs) {
    applyStyle(doc);
    for (const root of shadowRoots(doc)) applyStyle(root);
  }
  leaveFullscreen();
  forgetDead();
  const text = visibleText(docs);
  const { elements, foreign, more } = listElements(counter);
  watched = [...docs, ...docs.flatMap(shadowRoots)];
  unwatchable = foreign > 0 || docs.some((doc) => doc.querySelector('canvas, video, embed, object'));
  return {
    url: location.href,
    title: document.title,
    elements,
    foreign,
    more,
    suspects: suspected.length,
    unheard: unheard.length,
    next: counter.next,
    digest: fingerprint(docs, text),
    restless: isRestless(docs),
    overlay: overlay(text),
    notes: notes.splice(0),
    start: text.slice(0, 3000),
    examined: examined(),
  };
}

// What is watched for changes: the documents and roots of the last look. Some content changes unseen: another
// origin's, and what is painted rather than built.
let watched = [document];
let unwatchable = true;

const SIGNS_OF_CHANGE = ['scroll', 'load', 'input', 'transitionrun', 'transitionend', 'animationstart', 'animationend'];

// Resolves when two frames have been drawn (a turned wheel reaches the document with a frame) and nothing has
// changed for `quiet` ms, or after `longest` ms. `still` says for how many ms nothing at all was seen to change;
// null where changes cannot all be seen.
function settle(quiet, longest) {
  return new Promise((resolve) => {
    const began = performance.now();
    let last = began;
    let changed = began;
    const seen = () => { last = changed = performance.now(); };
    const sign = (event) => { if (event.type === 'scroll') seen(); else changed = performance.now(); };
    const observer = new MutationObserver(seen);
    for (const root of watched) observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    for (const kind of SIGNS_OF_CHANGE) addEventListener(kind, sign, { capture: true, passive: true });
    let frames = 0;
    const drawn = () => { if (++frames < 2) requestAnimationFrame(drawn); };
    requestAnimationFrame(drawn);
    const look = async () => {
      const now = performance.now();
      if (isTransitioning()) last = changed = now;
      const calm = frames >= 2 && now - last >= quiet;
      if (calm || now - began >= longest) {
        observer.disconnect();
        for (const kind of SIGNS_OF_CHANGE) removeEventListener(kind, sign, { capture: true });
        const still = unwatchable || document.fullscreenElement ? null : now - changed;
        await leaveFullscreen();
        resolve({ calm, still, notes: notes.splice(0) });
      } else {
        setTimeout(look, Math.max(5, Math.min(quiet - (now - last), longest - (now - began))));
      }
    };
    setTimeout(look, quiet);
  });
}

function readText(reference, limit) {
  const element = reference ? elementOf(reference) : null;
  if (reference && !element) return { missing: true };
  walk((each) => suspect(each, each.getBoundingClientRect()));
  lookAnew();
  const field = element && isField(element);
  const text = !element ? seenWords(document.body || document.documentElement) : field ? wholeValue(element) : seenWords(element);
  if (field) return { text: text.slice(0, limit), length: text.length, suspects: 0 };
  return { text: text.replace(/\n{3,}/g, '\n\n').slice(0, limit), length: text.length, suspects: suspected.length };
}

function readElements(next, reference) {
  const counter = { next };
  const within = reference ? elementOf(reference) : null;
  if (reference && !within) return { missing: true };
  const { elements, more } = listElements(counter, { whole: true, within });
  return { elements, more, suspects: suspected.length, unheard: unheard.length, next: counter.next };
}

function choose(reference, x, y, wanted) {
  const target = reference ? elementOf(reference) : controlAt(deepest(x, y));
  const list = target?.localName === 'option' ? target.closest('select') : target;
  if (!list || list.localName !== 'select') return { nolist: true };
  if (list.disabled) return { disabled: true };
  const options = [...list.options];
  const same = (text) => squeeze(text, 500).toLowerCase() === squeeze(wanted, 500).toLowerCase();
  const option = options.find((each) => same(each.label)) || options.find((each) => each.value === wanted)
    || (/^\d+$/.test(wanted) ? options[Number(wanted)] : undefined);
  if (!option) return { nooption: true, options: options.slice(0, MOST_OPTIONS).map((each) => squeeze(each.label, 60)) };
  if (option.disabled) return { disabled: true };
  if (list.multiple) option.selected = true;
  else list.selectedIndex = option.index;
  list.focus();
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return { chosen: squeeze(option.label, 100) };
}

const EDITABLE_INPUTS = /^(?:text|search|url|tel|email|password|number|date|datetime-local|month|week|time|color)$/;
const PICKED_INPUTS = /^(?:date|datetime-local|month|week|time|color)$/;

// Gives a field that is filled by a picker its value, written as HTML writes it; false when it is no such field or value.
function enterValue(text) {
  const field = focusedElement();
  if (!field || field.localName !== 'input' || !PICKED_INPUTS.test(field.type) || field.disabled || field.readOnly) return false;
  const trial = field.ownerDocument.createElement('input');
  trial.type = field.type;
  const wanted = text.trim().toLowerCase();
  trial.value = wanted;
  if (trial.value.toLowerCase() !== wanted) {
    trial.value = text.trim().toUpperCase();
    if (!trial.value || trial.value !== text.trim().toUpperCase()) return false;
  }
  field.value = trial.value;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}

// Puts the focus on a field's first part without opening its picker.
function focusField(reference, x, y) {
  const field = reference ? elementOf(reference) : controlAt(deepest(x, y));
  field?.blur?.();
  field?.focus?.();
  return true;
}

function focusFacts() {
  const element = focusedElement();
  if (!element || element === document.body || element === document.documentElement) return null;
  const editable = element.isContentEditable || element.localName === 'textarea'
    || (element.localName === 'input' && EDITABLE_INPUTS.test(element.type));
  return { ...facts(element), editable, foreign: isFrame(element) && !insideDocument(element) };
}

// For points of frames of other origins: whether the frame is on top there.
const onTop = (points) => lookAnew() || points.map(([x, y]) => {
  const hit = deepest(x, y);
  return Boolean(hit && isFrame(hit) && isSeen(hit));
});

// For a frame of another origin, by the element that holds it.
const shows = (holder) => { lookAnew(); return isSeen(holder); };

applyStyle(document);
globalThis.lane = { observe, settle, at, locate, bring, onTop, readText, readElements, choose, enterValue, focusField, focusFacts, suspects, adoptRoot,
  shows, listenersToAsk, hear };
