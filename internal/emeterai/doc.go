// Package emeterai is the port to the office that issues duty stamps (e-meterai): taking a serial, having it
// affixed, asking what became of it, and judging what came back.
//
// A serial costs money from the moment it is taken, the office cannot take it back, and the real one knows no
// identifier of ours. So exactly once is made of four rules, two of the caller's and two of the office's side:
//
//  1. The caller commits his intention before each call: the order's identifier before [Stamper.BuySerial], the serial
//     with the source's digest before [Stamper.Stamp]. A serial is in his database once (unique) and is bound to
//     one placement and one source for life.
//  2. Whoever cannot know whether a call went out says so: Order.MaybeSent, Request.MaybeSent. Then the office is asked
//     first what became of it.
//  3. Take with Again never buys while an earlier purchase may be on its way. It finds the serial by the order's
//     identifier, or by elimination: taken, unused ([Serial.Status]), and known to nobody. What it cannot be sure of
//     is for a person ([Person]).
//  4. Stamp with the same serial and the same bytes costs nothing, however often it is called.
//
// What can fail without the office is checked before a serial is taken; [CheckStampedFile] checks what the office returned
// before it becomes a revision. [Class] says of each problem who has to act; docs/emeterai.md has the table.
package emeterai
