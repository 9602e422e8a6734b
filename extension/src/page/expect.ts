/** Expectations: the nine kinds, checked on the live DOM, against a baseline where there is one. */
import { attr, clean, eachElement, has, isHTML, Refusal } from './dom';
import { rawValue, shownValue, statesOf } from './facts';
import { isSecret } from './secret';
import { bySelector } from './find';
import { labelFor, targetName } from './names';
import { resolve } from './refs';
import { isOn } from './fill';
import { roleOf } from './roles';
import { visible } from './visible';
import type { Checked, Condition, Measure, ReadOps, TargetOf } from './ops';
import { measuresOf } from './settle';

interface Look { passed: boolean; expected: string; actual: string; evidence?: string; count: number }
const kinds = ['value_equals', 'attribute_equals', 'element_state', 'element_exists', 'element_gone', 'url_matches', 'text_present', 'text_absent', 'list_count_delta'];
const keyOf = (c: Condition): string => JSON.stringify(c, Object.keys(c).sort());

export function measure(c: Condition): Measure {
  const l = look(c, null);
  return { key: keyOf(c), passed: l.passed, count: l.count };
}

export function check(a: ReadOps['check']['args']): ReadOps['check']['answer'] {
  const checked = checkAll(a.conditions, a.measures ?? measuresOf(a.baseline));
  return { checked, passed: checked.every((c) => c.passed) };
}

export function checkAll(list: Condition[], before: Measure[]): Checked[] {
  return list.slice(0, 20).map((c) => {
    const was = before.find((m) => m.key === keyOf(c)) ?? null;
    const l = look(c, was);
    const newly = 'newly' in c && c.newly !== undefined ? c.newly : c.kind === 'element_exists' || c.kind === 'element_gone' || c.kind === 'text_present';
    let passed = l.passed, evidence = l.evidence;
    if (passed && was?.passed && !newly && c.kind !== 'list_count_delta') evidence = 'it was so before the action already';
    if (passed && was && newly && was.passed && !(c.kind === 'text_present' && l.count > was.count) && !(c.kind === 'element_exists' && l.count > was.count)) {
      passed = false;
      evidence = 'it was so before the action already';
    }
    return { condition: c, passed, expected: l.expected, actual: l.actual, ...(evidence ? { evidence } : {}) };
  });
}

function look(c: Condition, was: Measure | null): Look {
  switch (c.kind) {
    case 'value_equals': return value(c);
    case 'attribute_equals': return attribute(c);
    case 'element_state': return stateIs(c);
    case 'element_exists': { const l = live(c); return { passed: l.length > 0, expected: said(c) + ' is there', actual: l.length ? l.length + ' there' : 'absent', count: l.length }; }
    case 'element_gone': { const l = live(c); return { passed: l.length === 0, expected: said(c) + ' is gone', actual: l.length ? l.length + ' still there' : 'gone', count: l.length }; }
    case 'url_matches': return { passed: urlFits(c.pattern), expected: clean(c.pattern, 200), actual: clean(location.href, 300), count: 0 };
    case 'text_present': { const n = occurrences(c.text, c.within); return { passed: n > 0, expected: 'text "' + clean(c.text, 100) + '"', actual: n ? 'found' : 'not found', evidence: c.within, count: n }; }
    case 'text_absent': { const n = occurrences(c.text, c.within); return { passed: n === 0, expected: 'no text "' + clean(c.text, 100) + '"', actual: n ? 'found' : 'absent', evidence: c.within, count: n }; }
    case 'list_count_delta': return listDelta(c, was);
    default: throw new Refusal('invalid_args', 'expectation of no known kind', 'use one of ' + kinds.join(', '));
  }
}

const said = (t: TargetOf): string => t.ref ?? (t.selector ? clean(t.selector, 80) : ((t.role ?? 'element') + (t.name !== undefined ? ' "' + clean(t.name, 60) + '"' : '')));

/** Live visible elements that a condition names. */
function live(t: TargetOf): Element[] {
  if (t.ref) { try { const el = resolve(t.ref); return visible(el) || labelFor(el) ? [el] : []; } catch { return []; } }
  if (t.selector) return bySelector(t.selector, 500).filter(visible);
  if (!t.role && t.name === undefined) throw new Refusal('invalid_args', 'the expectation names no element', 'give ref, role and name, or selector');
  const want = t.name?.replace(/\s+/g, ' ').trim(), out: Element[] = [];
  eachElement(document.documentElement, (el) => {
    const role = roleOf(el);
    if (t.role ? role !== t.role : !role) return;
    if (want !== undefined && targetName(el, role).name !== want) return;
    if (visible(el) || labelFor(el)) out.push(el);
  }, performance.now() + 800);
  return out;
}

function one(t: TargetOf): Element | null {
  if (t.ref) { try { return resolve(t.ref); } catch { return null; } }
  return live(t)[0] ?? null;
}
const missing = (expected: string): Look => ({ passed: false, expected, actual: 'element not found', count: 0 });

function value(c: { expected: string } & TargetOf): Look {
  const el = one(c);
  if (!el) return missing(c.expected);
  const raw = rawValue(el) ?? '', ok = raw === c.expected || (el instanceof HTMLSelectElement && el.value === c.expected);
  if (isSecret(el)) return { passed: ok, expected: '•••', actual: ok ? '•••' : raw ? 'another value' : 'empty', count: 0 };
  return { passed: ok, expected: c.expected, actual: shownValue(el) ?? '', ...(ok || raw.length <= 60 ? {} : { evidence: raw.length + ' characters' }), count: 0 };
}

function attribute(c: { attribute: string; expected: string } & TargetOf): Look {
  const el = one(c);
  if (!el) return missing(c.expected);
  const v = isSecret(el) && c.attribute.toLowerCase() === 'value' ? '•••' : attr(el, c.attribute);
  return { passed: v === c.expected, expected: c.attribute + '=' + c.expected, actual: v === null ? 'absent' : clean(v, 120), count: 0 };
}

function stateIs(c: { state: string; value?: boolean } & TargetOf): Look {
  const want = c.value !== false, expected = c.state + '=' + want, el = one(c);
  if (!el) return missing(expected);
  let is: boolean;
  switch (c.state) {
    case 'checked': is = isOn(el instanceof HTMLLabelElement && el.control ? el.control : el); break;
    case 'visible': is = visible(el); break;
    case 'hidden': is = !visible(el); break;
    case 'enabled': is = !statesOf(el).includes('disabled'); break;
    case 'open': is = isHTML(el) && (has(el, 'open') || statesOf(el).includes('expanded')); break;
    default: is = statesOf(el).includes(c.state);
  }
  return { passed: is === want, expected, actual: c.state + '=' + is, count: 0 };
}

function urlFits(pattern: string): boolean {
  const m = /^\/(.+)\/([iu]*)$/.exec(pattern);
  if (!m?.[1] || pattern.length > 300) return location.href.includes(pattern);
  try { return new RegExp(m[1], m[2]).test(location.href.slice(0, 2000)); } catch { return location.href.includes(pattern); }
}

const squeeze = (s: string): string => s.replace(/\s+/g, ' ');
function occurrences(text: string, scope?: string): number {
  const want = squeeze(text).trim();
  if (!want) throw new Refusal('invalid_args', 'the expected text is empty', 'give the text');
  let n = 0;
  for (const el of scope ? bySelector(scope, 100) : [document.body ?? document.documentElement]) {
    if (!isHTML(el)) continue;
    const hay = squeeze(el.innerText.slice(0, 4000000));
    for (let i = hay.indexOf(want); i >= 0 && n < 10000; i = hay.indexOf(want, i + want.length)) n++;
  }
  return n;
}

const itemCSS = ':scope > li, :scope > tbody > tr, :scope > tr, :scope > [role=listitem], :scope > [role=row], :scope > [role=rowgroup] > [role=row], :scope > [role=option], :scope > [role=treeitem], :scope > [role=article], :scope > article';
function listDelta(c: { delta: number } & TargetOf, was: Measure | null): Look {
  const expected = 'delta ' + c.delta + (was ? ' (from ' + was.count + ')' : '');
  let n: number;
  if (c.selector) n = bySelector(c.selector, 5000).filter(visible).length;
  else {
    const el = one(c);
    if (!el) return { passed: false, expected, actual: 'list not found', count: 0 };
    n = Array.from(el.querySelectorAll(itemCSS)).filter(visible).length;
  }
  if (!was) return { passed: false, expected, actual: n + ' now', evidence: 'no baseline: give the same condition to the baseline before acting', count: n };
  return { passed: n - was.count === c.delta, expected, actual: 'delta ' + (n - was.count) + ' (now ' + n + ')', count: n };
}
