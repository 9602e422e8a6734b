package ports

import "errors"

// Error crosses every edge: programs switch on Code, the model and the person read Msg, and Fix says
// what they can do about it.
type Error struct {
	Code string `json:"code"`
	Msg  string `json:"message"`
	Fix  string `json:"fix,omitempty"`
	Err  error  `json:"-"` // cause, may be nil
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Codes are stable; these are the ones that callers switch on.
const (
	CodeUsage       = "usage"        // the person's input or config is wrong
	CodeUnknownTool = "unknown_tool" // nobody offers it
	CodeInvalidArgs = "invalid_args" // arguments against the schema
	CodeRefused     = "refused"      // by mode, tier, grant, origin or policy
	CodeNeedsUser   = "needs_user"   // only a person can answer, and none is there
	CodeCancelled   = "cancelled"    // the caller gave up
	CodeTimeout     = "timeout"      // the world did not answer in time
	CodeCrashed     = "crashed"      // a bug: a panic was caught
	CodeUnknown     = "unknown"      // a mutating call whose outcome nobody knows
	CodeStorage     = "storage"      // disk full, locked or corrupt

	// Plugins.
	CodeDeadline  = "deadline"   // the guest ran longer than its limit
	CodeFault     = "fault"      // trap, exit, or something that is not the protocol
	CodeOversized = "oversized"  // a line, a call's output or a result over its limit
	CodeExhausted = "exhausted"  // as many live instances as the plugin may have
	CodeBusy      = "busy"       // the only instance that may answer is in use
	CodeTooDeep   = "too_deep"   // plugin calls nested past the limit
	CodeGuest     = "guest"      // the guest answered with a JSON-RPC error
	CodeBadModule = "bad_module" // refused before it ran
	CodeBadHandle = "bad_handle" // closed, unknown, or another instance's

	// Browser.
	CodeNoBrowser     = "no_browser"     // none found, or it did not start
	CodeBrowserGone   = "browser_gone"   // it exited or the connection was lost
	CodeTabGone       = "tab_gone"       // closed or crashed
	CodeTabCrashed    = "tab_crashed"    // its renderer died; navigate starts a new one
	CodeDialogOpen    = "dialog_open"    // a JavaScript dialog waits for an answer
	CodeStaleRef      = "stale_ref"      // the ref's document or element is gone
	CodeNoInput       = "no_input"       // the driver has no trusted input; the script channel is left
	CodeNotActionable = "not_actionable" // not visible, disabled, read-only or covered
	CodeAmbiguous     = "ambiguous"      // several elements fit
	CodeUnsaved       = "unsaved"        // the page asks to stay (beforeunload)
	CodeBlocked       = "blocked"        // by the origin fence
	CodeNavFailed     = "nav_failed"     // DNS, TLS, refused, HTTP without a document

	// Models and networks.
	CodeModel       = "model"        // the endpoint answered with an error that a retry will not cure
	CodeUnreachable = "unreachable"  // no connection
	CodeRateLimited = "rate_limited" // 429 after all retries
	CodeAuth        = "auth"         // 401 or 403 from an endpoint
	CodeOverflow    = "overflow"     // the prompt is larger than the model's window
	CodeTruncated   = "truncated"    // the stream ended before its end
)

// NewError is a shorthand for a *Error without a cause.
func NewError(code, msg, fix string) *Error { return &Error{Code: code, Msg: msg, Fix: fix} }

// CodeOf returns the code of the first Error in err's chain, or "".
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// FixOf returns the fix of the first Error in err's chain that has one, or "".
func FixOf(err error) string {
	for err != nil {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			return ""
		}
		if e.Fix != "" {
			return e.Fix
		}
		err = e.Err
	}
	return ""
}
