// Package emeterai is the port to the office that issues duty stamps (e-meterai): taking a serial, having it
// affixed, and judging what came back.
//
// A serial costs money from the moment it is taken, and the office cannot take it back. So every step here can
// be repeated: an order has an identifier of our own, chosen and committed before the office is asked, and a
// serial is affixed to one source for life. What can fail without the office is checked before a serial is
// taken; [Judge] checks what the office returned before it becomes a revision.
package emeterai
