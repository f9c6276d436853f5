// What an element is called and what it says about itself.

const LONGEST_NAME = 100;
const LONGEST_VALUE = 200;
const MOST_OPTIONS = 40;

const squeeze = (text, limit) => {
  const plain = (text || '').replace(/\s+/g, ' ').trim();
  return plain.length > limit ? plain.slice(0, limit - 1) + '…' : plain;
};

const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', color: 'color', date: 'date',
  'datetime-local': 'date', month: 'date', week: 'date', time: 'time',
};

const TAG_ROLES = {
  button: 'button', textarea: 'textbox', summary: 'summary', option: 'option', iframe: 'iframe', frame: 'iframe',
  canvas: 'canvas', video: 'video', audio: 'audio', label: 'label', dialog: 'dialog', img: 'img',
};

function roleOf(element) {
  const stated = (element.getAttribute('role') || '').trim().split(/\s+/)[0];
  if (stated) return stated;
  const tag = element.localName;
  if (tag === 'a' || tag === 'area') return element.hasAttribute('href') ? 'link' : 'clickable';
  if (tag === 'input') return INPUT_ROLES[element.type] || 'textbox';
  if (tag === 'select') return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
  if (element.isContentEditable) return 'textbox';
  return TAG_ROLES[tag] || 'clickable';
}

// A label's own words, without those of the controls inside it.
function wordsOf(node) {
  let text = '';
  for (const child of node.childNodes) {
    if (child.nodeType === 3) text += child.data;
    else if (child.nodeType === 1 && !['select', 'textarea', 'script', 'style'].includes(child.localName)) {
      text += ' ' + wordsOf(child);
    }
  }
  return text;
}

const labelOf = (element) =>
  squeeze([...(element.labels || [])].map(wordsOf).join(' '), LONGEST_NAME);

function referredName(element) {
  const ids = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
  const root = element.getRootNode();
  return ids.map((id) => { const other = root.getElementById && root.getElementById(id); return other ? wordsOf(other) : ''; }).join(' ');
}

// In the order of the accessible name computation (W3C accname 1.2), shortened to what pages really use.
function nameOf(element) {
  const tag = element.localName;
  const ownWords = !['input', 'select', 'textarea', 'iframe', 'canvas', 'video', 'audio'].includes(tag);
  const pictures = ownWords ? [...element.querySelectorAll('img[alt], svg title')].slice(0, 3) : [];
  const candidates = [
    () => referredName(element),
    () => element.getAttribute('aria-label'),
    () => labelOf(element),
    () => (tag === 'input' && ['button', 'submit', 'reset'].includes(element.type) ? element.value || element.type : ''),
    () => element.getAttribute('alt'),
    () => (tag === 'option' ? element.label : ''),
    () => (ownWords && !element.isContentEditable ? seenWords(element, LONGEST_NAME + 1) : ''),
    () => pictures.map((picture) => picture.getAttribute('alt') || picture.textContent).join(' '),
    // Words that nobody sees name only what can be seen: an icon's label for those who listen.
    () => (ownWords && !element.isContentEditable && paints(element) ? element.innerText ?? element.textContent : ''),
    () => element.getAttribute('title'),
    () => element.getAttribute('placeholder'),
    () => (tag === 'fieldset' || tag === 'iframe' ? element.getAttribute('name') : ''),
  ];
  for (const candidate of candidates) {
    const name = squeeze(candidate(), LONGEST_NAME);
    if (name) return name;
  }
  return '';
}

// A field's value, whole; a password as the dots that are drawn.
function wholeValue(element) {
  const tag = element.localName;
  if (tag === 'select') return [...element.selectedOptions].map((option) => option.label).join(', ');
  if (tag === 'textarea') return element.value;
  if (tag === 'input') {
    if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(element.type)) return '';
    if (element.type === 'password') return '•'.repeat(Math.min(element.value.length, 20));
    if (element.type === 'file') return [...element.files].map((file) => file.name).join(', ');
    return element.value;
  }
  if (element.isContentEditable) return seenWords(element);
  return element.getAttribute('aria-valuetext') || element.getAttribute('aria-valuenow') || '';
}

// The same for a list of elements: in one line, and saying so where it is cut.
function valueOf(element) {
  const whole = wholeValue(element).trim();
  const value = squeeze(whole, LONGEST_VALUE);
  return value.endsWith('…') && !whole.endsWith('…') ? `${value} (${whole.length} characters)` : value;
}

const focusedElement = () => {
  let at = document.activeElement;
  for (;;) {
    const deeper = at && (shadowOf(at)?.activeElement || (isFrame(at) && insideDocument(at)?.activeElement));
    if (!deeper) return at;
    at = deeper;
  }
};

function stateOf(element, name) {
  const tag = element.localName;
  const state = {};
  if (tag === 'input') state.type = element.type;
  if ((tag === 'a' || tag === 'area') && element.href) state.href = squeeze(String(element.href.baseVal ?? element.href), LONGEST_VALUE);
  if (tag === 'input' && ['checkbox', 'radio'].includes(element.type)) state.checked = element.checked;
  if (element.disabled || element.getAttribute('aria-disabled') === 'true') state.disabled = true;
  if (element.readOnly) state.readonly = true;
  if (element.required) state.required = true;
  if (tag === 'select') {
    state.options = [...element.options].slice(0, MOST_OPTIONS).map((option) => squeeze(option.label, 60));
    if (element.options.length > MOST_OPTIONS) state.more_options = element.options.length - MOST_OPTIONS;
  }
  if (tag === 'option') state.selected = element.selected;
  if (element.multiple) state.multiple = true;
  if (element.placeholder) state.placeholder = squeeze(element.placeholder, LONGEST_NAME);
  const label = labelOf(element);
  if (label && label !== name) state.label = label;
  for (const [attribute, key] of [['aria-expanded', 'expanded'], ['aria-selected', 'selected'], ['aria-pressed', 'pressed'],
    ['aria-checked', 'checked'], ['aria-current', 'current'], ['aria-haspopup', 'popup']]) {
    const stated = element.getAttribute(attribute);
    if (stated !== null && !(key in state)) state[key] = stated === 'true' ? true : stated === 'false' ? false : squeeze(stated, 40);
  }
  if (tag === 'summary' && element.parentElement?.localName === 'details') state.expanded = element.parentElement.open;
  if (['range', 'number', 'date', 'time'].includes(element.type)) {
    for (const key of ['min', 'max', 'step']) if (element[key]) state[key] = squeeze(element[key], 40);
  }
  if (element === focusedElement()) state.focused = true;
  return state;
}
