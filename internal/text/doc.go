// Package text holds every sentence a person reads, in Indonesian and English, by code.
//
// A code such as "document.not_draft" is stable and what programs look at; its sentence may be improved at any
// time. A sentence names its arguments in braces, {limit}, with the way to write one after a bar,
// {limit|size}. What is in brackets is left out where an argument in it is missing or empty:
// "Ditolak[: {reason}]".
package text
