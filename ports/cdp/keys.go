package cdp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wb-agent/wb/ports"
)

// key is one physical key as the protocol wants it.
type key struct {
	name, code, text string
	vk, location     int64
	commands         []string // editing commands that the platform binds to the chord
}

type modifier struct {
	key key
	bit int64
}

// chord is a key with its modifiers, which are held around it.
type chord struct {
	modifiers []modifier
	key       key
}

func modifierOf(name string) (modifier, bool) {
	switch strings.ToLower(name) {
	case "alt", "option":
		return modifier{key{name: "Alt", code: "AltLeft", vk: 18, location: 1}, 1}, true
	case "control", "ctrl", "controlormeta":
		return modifier{key{name: "Control", code: "ControlLeft", vk: 17, location: 1}, 2}, true
	case "meta", "command", "cmd":
		return modifier{key{name: "Meta", code: "MetaLeft", vk: 91, location: 1}, 4}, true
	case "shift":
		return modifier{key{name: "Shift", code: "ShiftLeft", vk: 16, location: 1}, 8}, true
	}
	return modifier{}, false
}

// namedKey knows the keys that are not characters, under the names people use for them.
func namedKey(name string) (key, bool) {
	switch strings.ToLower(name) {
	case "enter", "return":
		return key{name: "Enter", code: "Enter", text: "\r", vk: 13}, true
	case "tab":
		return key{name: "Tab", code: "Tab", vk: 9}, true
	case "escape", "esc":
		return key{name: "Escape", code: "Escape", vk: 27}, true
	case "backspace":
		return key{name: "Backspace", code: "Backspace", vk: 8}, true
	case "delete", "del":
		return key{name: "Delete", code: "Delete", vk: 46}, true
	case "insert":
		return key{name: "Insert", code: "Insert", vk: 45}, true
	case "space", "spacebar", " ":
		return key{name: " ", code: "Space", text: " ", vk: 32}, true
	case "arrowup", "up":
		return key{name: "ArrowUp", code: "ArrowUp", vk: 38}, true
	case "arrowdown", "down":
		return key{name: "ArrowDown", code: "ArrowDown", vk: 40}, true
	case "arrowleft", "left":
		return key{name: "ArrowLeft", code: "ArrowLeft", vk: 37}, true
	case "arrowright", "right":
		return key{name: "ArrowRight", code: "ArrowRight", vk: 39}, true
	case "home":
		return key{name: "Home", code: "Home", vk: 36}, true
	case "end":
		return key{name: "End", code: "End", vk: 35}, true
	case "pageup":
		return key{name: "PageUp", code: "PageUp", vk: 33}, true
	case "pagedown":
		return key{name: "PageDown", code: "PageDown", vk: 34}, true
	case "contextmenu":
		return key{name: "ContextMenu", code: "ContextMenu", vk: 93}, true
	}
	return functionKey(name)
}

func functionKey(name string) (key, bool) {
	digits, ok := strings.CutPrefix(strings.ToUpper(name), "F")
	if !ok || digits == "" || len(digits) > 2 || digits[0] == '0' {
		return key{}, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return key{}, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > 12 {
		return key{}, false
	}
	return key{name: "F" + digits, code: "F" + digits, vk: 111 + n}, true
}

// character is the key of a printable character on a US keyboard; others are typed by their text alone.
func character(r rune) key {
	k := key{name: string(r), text: string(r)}
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		u := unicode.ToUpper(r)
		k.code, k.vk = "Key"+string(u), int64(u)
	case r >= '0' && r <= '9':
		k.code, k.vk = "Digit"+string(r), int64(r)
	default:
		for _, p := range []struct {
			chars, code string
			vk          int64
		}{{"-_", "Minus", 189}, {"=+", "Equal", 187}, {"[{", "BracketLeft", 219}, {"]}", "BracketRight", 221}, {`\|`, "Backslash", 220}, {";:", "Semicolon", 186}, {`'"`, "Quote", 222}, {",<", "Comma", 188}, {".>", "Period", 190}, {"/?", "Slash", 191}, {"`~", "Backquote", 192}} {
			if strings.ContainsRune(p.chars, r) {
				k.code, k.vk = p.code, p.vk
			}
		}
	}
	return k
}

// parseKeys reads names such as Enter, a, Control+a or Control+Shift+ArrowLeft.
func parseKeys(names []string) ([]chord, error) {
	out := make([]chord, 0, len(names))
	for _, n := range names {
		c, ok := parseKey(n)
		if !ok {
			return nil, ports.NewError(ports.CodeInvalidArgs, "no key is called "+quoted(n), "use a DOM key name (Enter, Tab, Escape, ArrowDown, a) or a chord such as Control+a")
		}
		out = append(out, c)
	}
	return out, nil
}

func parseKey(name string) (chord, bool) {
	var c chord
	rest := name
	for {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			break
		}
		m, ok := modifierOf(rest[:i])
		if !ok {
			return c, false
		}
		c.modifiers = append(c.modifiers, m)
		rest = rest[i+1:]
	}
	switch k, ok := namedKey(rest); {
	case ok:
		c.key = k
	case utf8.RuneCountInString(rest) == 1 && unicode.IsPrint([]rune(rest)[0]):
		c.key = character([]rune(rest)[0])
	default:
		m, ok := modifierOf(rest)
		if !ok {
			return c, false
		}
		c.key = m.key
	}
	c.settle()
	return c, true
}

// settle makes a chord a command rather than text, with the editing command that the platform binds to it.
func (c *chord) settle() {
	var held int64
	for _, m := range c.modifiers {
		held |= m.bit
	}
	if held == 8 && len(c.key.text) == 1 && c.key.code != "Space" {
		up := strings.ToUpper(c.key.text)
		c.key.text, c.key.name = up, up
	}
	if held&(2|4|1) == 0 {
		return
	}
	c.key.text = ""
	if held&(2|4) != 0 && held&1 == 0 {
		switch strings.ToLower(c.key.name) {
		case "a":
			c.key.commands = []string{"selectAll"}
		case "c":
			c.key.commands = []string{"copy"}
		case "x":
			c.key.commands = []string{"cut"}
		case "v":
			c.key.commands = []string{"paste"}
		case "z":
			c.key.commands = []string{map[bool]string{true: "redo", false: "undo"}[held&8 != 0]}
		}
	}
}
