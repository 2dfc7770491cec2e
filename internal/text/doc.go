// Package text contains every sentence that a person reads, by code, in Indonesian and English.
//
// A code such as "document.not_draft" is stable, and programs use it; its sentence may be improved at any time. A
// sentence names its arguments in braces, {limit}, with an optional format after a bar, {limit|size}. A part in
// brackets is left out if an argument in it is missing or empty: "Ditolak[: {reason}]".
package text
