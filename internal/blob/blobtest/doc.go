// Package blobtest says what a [blob.Store] owes, as tests every implementation runs unchanged, and has stores
// for the tests of others: [Memory], which keeps nothing, and [Faulty], which fails on demand.
package blobtest
