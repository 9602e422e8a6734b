/**
 * The operations of the page script: what a driver passes through `read` and `act`, one frame at a time.
 *
 * Every operation takes one JSON object and answers one JSON object. Lengths are CSS px in the frame's own
 * viewport, times are milliseconds. Refs are strings: `e12` in the top frame, `f2e7` in frame f2; a ref is
 * passed only to the frame that gave it out. A failure is {code, message, fix} with one of the codes of
 * ports/error.go: stale_ref, not_actionable, invalid_args, ambiguous, timeout, refused, unknown_tool.
 *
 * Nothing a page holds is trusted: all text in answers is the page's, cut, and free of control characters.
 * Values of password, one-time-code and card fields never leave the script.
 */

/** Refs name elements. */
export type Ref = string;

/** Box of an element in the frame's viewport. */
export interface Rect { x: number; y: number; w: number; h: number }

/** A refusal. `near` are live candidates for a stale ref. */
export interface Failure { code: string; message: string; fix?: string; near?: Candidate[] }

/** One line of the outline. */
export interface Line {
  /** Depth, 0 for the first level. */
  d: number;
  /** The line without indentation: `role "name" [e12] attrs`. A derived name is written `~"name"`. */
  t: string;
  /** The ref in t, if there is one. */
  ref?: Ref;
  /** In the viewport. */
  iv?: boolean;
  /** True on an iframe's line: the driver's Frames say which frame it owns (Frame.owner is this ref). */
  frame?: boolean;
}

/** An element that may be meant. */
export interface Candidate {
  ref: Ref; role: string; name: string;
  rect: Rect;
  /** Containing dialog, else form, `dialog "Edit"`; "" if none. */
  in: string;
  inView?: boolean;
}

/** What is known of an element: preconditions, the guard's facts, and receipts read this. */
export interface Facts {
  ref: Ref; role: string; name: string;
  /** True when the name was derived from content or attributes that are not a name. */
  derived?: boolean;
  tag: string;
  /** aria-haspopup, if any. */
  popup?: string;
  /** type of an input or button, lower case. */
  type?: string;
  /** Current value cut at 60; "•••" for a secret that is not empty; never a secret. Options by their text. */
  value?: string;
  /** Length of the value in UTF-16 units, secrets included as 0. */
  valueLength?: number;
  /** Password, one-time code, card number and the like. */
  secret: boolean;
  states: string[]; // checked, mixed, disabled, expanded, collapsed, selected, pressed, required, invalid, readonly, focused, hidden
  rect: Rect;
  inView: boolean;
  visible: boolean;
  /** Takes text. */
  editable: boolean;
  /** Where a press would send it; of a field, where the button goes that Enter presses. fields: card, new-password. */
  form?: { ref?: Ref; action: string; method: string; name: string; fields?: string[] };
  /** Enter here submits a form, though a click does not. */
  enters?: boolean;
  /** Absolute. */
  href?: string;
  /** target of a link or form, such as _blank. */
  target?: string;
  /** A click or Enter here submits a form. */
  submits: boolean;
  /** Containing open dialog or modal, `dialog "Edit"`; "" if none. */
  dialog: string;
  /** Containing dialog, else form. */
  in: string;
  /** Origin of the frame's document, or "null". */
  origin: string;
  /** URL of the frame's document. */
  url: string;
  /** True for an iframe element. */
  frame?: boolean;
  options?: string[]; // of a select, at most 50, each cut at 60
  /** role, name, tag, id, name attribute, test id and position, hashed: equal while it is the same control. */
  fingerprint: string;
}

/** Expectations; `target` fields: ref, or role and name, or selector. */
export type Condition =
  | ({ kind: 'value_equals'; expected: string } & TargetOf & Newly)
  | ({ kind: 'attribute_equals'; attribute: string; expected: string } & TargetOf & Newly)
  | ({ kind: 'element_state'; state: string; value?: boolean } & TargetOf & Newly) // value [true]
  | ({ kind: 'element_exists' } & TargetOf & Newly)
  | ({ kind: 'element_gone' } & TargetOf & Newly)
  | ({ kind: 'url_matches'; pattern: string } & Newly) // substring, or /regular expression/
  | ({ kind: 'text_present'; text: string; within?: string } & Newly) // within: a selector
  | ({ kind: 'text_absent'; text: string; within?: string } & Newly)
  | ({ kind: 'list_count_delta'; delta: number } & TargetOf); // selector counts matches; ref or role+name counts the items in it

/** Which element a condition is about. */
export interface TargetOf { ref?: Ref; role?: string; name?: string; selector?: string }

/**
 * With a baseline: must it have been otherwise then? Default true for element_exists, element_gone and
 * text_present, false for the rest.
 */
export interface Newly { newly?: boolean }

/** How a condition stood at the baseline. */
export interface Measure { key: string; passed: boolean; count: number }

/** One checked condition; the strings are for people and models. */
export interface Checked { condition: Condition; passed: boolean; expected: string; actual: string; evidence?: string }

/** A dialog or other layer above the page. */
export interface Overlay { ref: Ref; role: string; name: string; modal: boolean }

/** Operations that look. */
export interface ReadOps {
  /**
   * The outline. Overlays come first in `lines`, the topmost before others; the rest is in document order.
   * filter [all]: all: text, landmarks and targets; visible: the same, in the viewport only; interactive: targets only.
   * enough: that many characters are wanted, what is in view first; the rest is then not walked, and `more` says so.
   * Long rows of the like are folded to a line that names what to open, unless unfold, or root is what holds them.
   * blind: nobody told which elements listen; those that only do are found by evidence such as cursor and class.
   * Hidden text is left out and counted; with include_hidden it comes as lines that begin with `(hidden) `.
   */
  snapshot: {
    args: { filter?: 'all' | 'visible' | 'interactive'; maxDepth?: number; root?: Ref; include_hidden?: boolean; maxLines?: number; enough?: number; unfold?: boolean; capMs?: number };
    answer: { lines: Line[]; url: string; title: string; examined: number; omitted: number; hidden: number; overlays: Overlay[]; maxRef: number; revision: string; more?: boolean; blind?: boolean; partial?: string };
  };
  /** Readable prose as light Markdown: main content first, headings, lists, tables. limit [8000] UTF-16 units. */
  text: { args: { offset?: number; limit?: number; root?: Ref }; answer: { text: string; offset: number; total: number; next?: number; title: string; url: string; partial?: string } };
  /**
   * Targets whose role and name fit, best first: exact, then beginning, then containing (case folded).
   * Inside of the topmost modal only; `scope` names it. `exact` counts exact fits: more than one is ambiguous.
   */
  find: { args: { text?: string; role?: string; limit?: number; anyElement?: boolean }; answer: { candidates: Candidate[]; exact: number; total: number; scope: string } };
  /** Elements by CSS selector (open shadow roots included), at most 50. */
  selector: { args: { css: string; visible?: boolean; limit?: number; offset?: number }; answer: { candidates: Candidate[]; total: number } };
  /** Structured pieces of the page. */
  extract: {
    args: { type: 'tables' | 'headings' | 'images' | 'links'; limit?: number };
    answer: { items: Array<{ headers?: string[]; rows?: string[][]; caption?: string; level?: number; text?: string; href?: string; src?: string; alt?: string; ref?: Ref }>; total: number };
  };
  /** The selected text, cut at 8000. */
  selection: { args: Record<never, never>; answer: { text: string; ref?: Ref; total: number } };
  /** The text that the nearest container of an element shows: what a select made of divs says is chosen. holds: other is in it too. */
  around: { args: { ref: Ref; other?: Ref }; answer: { text: string; holds: boolean } };
  /** Facts of one element. */
  element: { args: { ref: Ref }; answer: Facts };
  /**
   * Scrolls the element to the centre at once and hit-tests it in its own frame. x and y are a point of it,
   * in the frame's viewport. covered: something else lies there; hit is what.
   */
  point: { args: { ref: Ref; scroll?: boolean }; answer: { x: number; y: number; rect: Rect; zoom: number; hit: { ref?: Ref; role: string; name: string }; covered: boolean; facts: Facts } };
  /** What lies at a point of the frame's viewport; facts.frame: ask the frame it owns. none: nothing there. */
  at: { args: { x: number; y: number }; answer: { facts?: Facts; target?: Facts } };
  /** The focused element; none when nothing has the focus. facts.frame: the focus is inside of it. */
  focus: { args: Record<never, never>; answer: { facts?: Facts } };
  /** Viewport and scroll position. */
  window: { args: Record<never, never>; answer: { width: number; height: number; scrollX: number; scrollY: number; pageWidth: number; pageHeight: number; ratio: number } };
  /** What the page is up to: for `done`, for receipts and for a new turn. */
  state: {
    args: Record<never, never>;
    answer: {
      url: string; title: string; readyState: string; dialogs: string[]; toasts: string[]; errors: string[];
      forms: Array<{ ref: Ref; name: string; dirty: string[] }>; focused?: string; maxRef: number; elements: number; visible: boolean;
    };
  };
  /**
   * Starts to watch: what `settle` and `check` compare with. A token is good for its document only. ref: what the
   * action is on. watch: an action follows; after its settle the page is watched on for `late`. since: as of late.
   */
  baseline: { args: { conditions?: Condition[]; ref?: Ref; watch?: boolean }; answer: { token: string; measures: Measure[]; since: string[] } };
  /** What has changed since the settle of the last action, told once: reverted values, late effects. */
  late: { args: Record<never, never>; answer: { since: string[] } };
  /**
   * Waits until the page is quiet (quietMs [100] after the last change that is not cosmetic and, where the
   * driver sees the network, after the last request), at most capMs [5000]. When nothing at all happens it
   * answers after idleMs [150] with no effects. expect: goes on until these pass (or capMs). pendingMs: how long it
   * waits while a request is under way. effects can be the action's doing by their time; aside are the page's own.
   * shown: outline lines of targets that had no ref before. delivery: pressed: the target went away or moved before
   * the click was complete; elsewhere: something else got it (landed). Drivers answer this operation by asking the script again and again; the script's own answer carries `again`.
   */
  settle: {
    args: { since: string; quietMs?: number; capMs?: number; pendingMs?: number; idleMs?: number; expect?: Condition[]; pending?: number; netSeen?: boolean; netQuietMs?: number };
    answer: { settled: boolean; ms: number; effects: string[]; aside?: string[]; shown?: string[]; delivery?: 'pressed' | 'elsewhere'; landed?: string; url: string; changed: boolean; checked?: Checked[]; pending?: number; navigated?: boolean; again?: number };
  };
  /** Checks conditions now. measures: those of a baseline of a document that is gone (drivers pass them on by themselves in settle). */
  check: { args: { conditions: Condition[]; baseline?: string; measures?: Measure[] }; answer: { checked: Checked[]; passed: boolean } };
  /** Waits for an element or a text to be there (gone: to be gone). timeout [10000], at most 60000. */
  waitFor: { args: { selector?: string; text?: string; gone?: boolean; timeout?: number }; answer: { found: boolean; ms: number; candidate?: Candidate } };
  /** Role and name of all elements that match, hidden ones too, with the attributes asked for. For measuring. */
  names: { args: { css: string; attrs?: string[] }; answer: { items: Array<{ role: string; name: string; attrs: Record<string, string> }> } };
  /** The number that refs must not use again in this tab is below this one. For drivers. */
  maxRef: { args: Record<never, never>; answer: { maxRef: number } };
}

/** Operations that change the page by script. They answer the facts afterwards. */
export interface ActOps {
  /**
   * Puts text into a field: focus, select all (clear [true]), insert; date, time, colour, range by their setter;
   * select by an option's text or value. Answers the value read back at once, not yet settled.
   */
  fill: { args: { ref: Ref; text: string; clear?: boolean }; answer: Facts };
  /** Selects the field's content so that trusted text replaces it; focuses it. */
  selectAll: { args: { ref: Ref }; answer: Facts };
  /** A synthetic click, where a person could click; force: wherever it is. */
  click: { args: { ref: Ref; force?: boolean }; answer: Facts };
  /** Synthetic pointer events over an element; CSS hover cannot be had by script. */
  hover: { args: { ref: Ref }; answer: Facts };
  /** Synthetic keys at an element, with what the browser would do for Enter, Space, Backspace, Delete and Tab. */
  keys: { args: { ref: Ref; keys: string[] }; answer: Facts };
  /** Makes a checkbox, radio or switch be on or off, by a click if it is not. */
  check: { args: { ref: Ref; on: boolean }; answer: Facts };
  /** Chooses options of a select by text or value. */
  select: { args: { ref: Ref; values: string[] }; answer: Facts };
  /** Puts files, by their bytes, into a file field that may be hidden. At most 8 MB each. */
  attach: { args: { ref: Ref; files: Array<{ name: string; base64: string; mime?: string }> }; answer: Facts };
  focus: { args: { ref: Ref }; answer: Facts };
  blur: { args: { ref?: Ref }; answer: Record<never, never> };
  /** Scrolls the page, or the nearest scroller around ref or the point, by amount [0.8] viewports; top and bottom go to the end. */
  scroll: {
    args: { direction: 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom' | 'into_view'; amount?: number; ref?: Ref; x?: number; y?: number };
    answer: { moved: boolean; scrollX: number; scrollY: number; atEnd: boolean; what: string };
  };
  /** Selects the next literal match of a text and scrolls to it, as the browser's own find does. */
  findText: { args: { text: string; matchCase?: boolean; backwards?: boolean; wrap?: boolean }; answer: { found: boolean; index: number; total: number; context: string; ref?: Ref } };
  /** Covers secret fields with boxes before a picture, and takes them away. For drivers. */
  mask: { args: Record<never, never>; answer: { masked: number } };
  unmask: { args: Record<never, never>; answer: Record<never, never> };
}

/** What a driver tells the script with each call. */
export interface Where {
  /** Name of the frame: f0, f1 … */
  frame: string;
  /** Highest ref number given out in the tab before this document. */
  base: number;
}

/** What the script answers: a JSON text of this. */
export type Answer = { ok: unknown; maxRef: number } | { error: Failure; maxRef: number };
