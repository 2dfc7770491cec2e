package contract

import "strings"

// Refusals about accounts that guests create.
var (
	// ErrAccountsOff refuses an account to a guest where the operator does not allow it.
	ErrAccountsOff = Refuse(Conflict, "account.not_offered")
	// ErrAccountExists refuses a second account to a mailbox. Only a person who verified the mailbox is told.
	ErrAccountExists = Refuse(Conflict, "account.mailbox_has_one")
)

// GuestReading returns the guest as whom a person may act who verified that they read a mailbox, in any letter case: the one whom the document
// names with that address and reaches by mail, once they may see it. Nil: there is none, and the document is one that does not exist to them.
func (d *Document) GuestReading(mailbox string) *Participant {
	for i := range d.Participants {
		p := &d.Participants[i]
		if channel, address := d.Reach(p.ID); mailbox != "" && p.Guest && channel == ChannelMail && strings.EqualFold(address, mailbox) && d.IsVisibleTo(p.ID) {
			return p
		}
	}
	return nil
}
