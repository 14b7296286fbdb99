/**
 * HTML as text. Values in a template are escaped, unless they come from a template or are marked as HTML by `markup`.
 */

class Markup {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function html(strings, ...values) {
  return new Markup(String.raw({ raw: strings }, ...values.map(show)));
}

export function markup(text) {
  return new Markup(text);
}

/** Lists are concatenated; undefined, null and false become nothing. */
function show(value) {
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(show).join('');
  if (value instanceof Markup) return value.text;
  return String(value).replace(/[&<>"]/g, (character) => ESCAPES[character]);
}
