// Package emeterai is the interface to the office that issues duty stamps (e-meterai): buying a serial, affixing it,
// querying its state, and checking the stamped file.
//
// A serial costs money from the moment it is bought, the office does not take it back, and the real office knows no
// identifier of ours. Four rules ensure that each stamp is bought and affixed exactly once, two for the caller and two
// for the implementation:
//
//  1. The caller commits their intention before each call: the order's identifier before [Stamper.BuySerial], the
//     serial with the digest of the source before [Stamper.Stamp]. A serial is in the caller's database once (unique)
//     and is bound to one placement and one source permanently.
//  2. A caller who cannot know whether a call was sent says so: Order.MaybeSent, Request.MaybeSent. Then the office
//     is first asked what became of it.
//  3. BuySerial with MaybeSent never buys while an earlier purchase may still be under way. It finds the serial by
//     the order's identifier, or by elimination: bought, unused ([Stamper.SerialStatus]), and not in the caller's
//     register. What cannot be decided this way is left to a person ([NeedsPerson]).
//  4. Stamp with the same serial and the same bytes costs nothing, however often it is called.
//
// What can fail without the office is checked before a serial is bought; [CheckStampedFile] checks the returned file
// before it becomes a revision. The [Class] of a problem says who has to act; docs/emeterai.md has the table.
package emeterai
