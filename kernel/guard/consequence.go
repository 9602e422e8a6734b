package guard

import (
	"regexp"
	"slices"
	"strings"
)

// inWords completes "… would".
var inWords = map[string]string{
	"pay":        "spend money",
	"delete":     "delete something for good",
	"account":    "change an account or its access",
	"permission": "give someone access",
}

// The words by which pages name what is hard to undo, at the start of a control's name, in the languages
// most pages are in. A name only ever makes a decision stricter: a page that hides the word still cannot
// leave the write set.
var (
	payWords     = words(`pay|pay now|place (?:the |your )?order|buy|buy now|purchase|checkout and pay|confirm (?:and pay|payment|order|purchase)|complete (?:order|purchase)|donate|subscribe and pay|send money|transfer|bezahlen|jetzt kaufen|zahlungspflichtig bestellen|payer|acheter|pagar|comprar|satın al|öde`)
	deleteWords  = words(`delete|permanently delete|remove (?:account|forever|permanently)|destroy|erase|wipe|empty trash|löschen|supprimer|eliminar|borrar|sil`)
	accountWords = words(`change password|update password|reset password|change e-?mail|close account|deactivate(?: account)?|disable two.factor|regenerate (?:token|key)|revoke`)
	grantWords   = words(`grant access|authori[sz]e|allow access|make (?:owner|admin)|add (?:ssh|deploy|gpg) key|invite|share with`)
)

// pressed are the roles of what does something when it is pressed. A plain element that listens is clickable.
var pressed = []string{"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "switch", "treeitem", "clickable", "generic", "img", "image"}

func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` + alternatives + `)(?:$|[^\p{L}])`)
}

// consequence names what a gesture would do that is hard to undo, or "". Only gestures that trigger
// something count: typing into a field does not, pressing its form's button does.
func consequence(f Facts) string {
	if !f.Submits && !slices.Contains(pressed, f.Role) {
		return ""
	}
	name := strings.TrimSpace(strings.TrimLeft(f.Name, "~ "))
	switch {
	case payWords.MatchString(name) || f.Submits && slices.Contains(f.Fields, "card"):
		return "pay"
	case deleteWords.MatchString(name):
		return "delete"
	case accountWords.MatchString(name) || f.Submits && slices.Contains(f.Fields, "new-password"):
		return "account"
	case grantWords.MatchString(name):
		return "permission"
	}
	return ""
}
