package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// at returns an operation that was requested and answered at these times.
func at(call, answer int64, o documentOperation, a documentAnswer) porcupine.Operation {
	return porcupine.Operation{Input: o, Output: a, Call: call, Return: answer}
}

var (
	signByOwner = documentOperation{signDocument, 0}
	signByOther = documentOperation{signDocument, 1}
	cancel      = documentOperation{kind: cancelDocument}
	read        = documentOperation{kind: readDocument}
	done        = documentAnswer{}
)

func refused(code string) documentAnswer { return documentAnswer{refused: code} }

func sees(state string, owner, other bool, version int64) documentAnswer {
	return documentAnswer{read: documentRead{state, [2]bool{owner, other}, version}}
}

func TestHistoriesThatAnOrderExplainsAreLinear(t *testing.T) {
	t.Parallel()
	for name, h := range map[string][]porcupine.Operation{
		"signed by both at once, and completed": {
			at(1, 9, signByOwner, done), at(2, 8, signByOther, done), at(3, 4, read, sees("processing", false, true, 2)), at(10, 11, read, sees("completed", true, true, 5)),
		},
		"the same person twice": {
			at(1, 9, signByOwner, done), at(1, 9, signByOwner, refused(codeSigned)), at(2, 3, signByOther, refused(codeBusy)), at(4, 8, signByOther, done),
		},
		"canceled between two signatures": {
			at(1, 2, signByOwner, done), at(3, 9, cancel, done), at(4, 8, signByOther, refused(codeInactive)), at(10, 11, read, sees("canceled", true, false, 4)),
		},
		"canceled too late": {
			at(1, 2, signByOwner, done), at(1, 2, signByOther, done), at(3, 4, cancel, refused(codeSealing)), at(5, 6, cancel, refused(codeInactive)),
		},
	} {
		if !isLinear(h) {
			t.Errorf("%s is not linear", name)
		}
	}
}

func TestHistoriesThatNoOrderExplainsAreFound(t *testing.T) {
	t.Parallel()
	for name, h := range map[string][]porcupine.Operation{
		"a signature that was acknowledged is missing": {
			at(1, 2, signByOwner, done), at(3, 4, read, sees("processing", false, false, 2)),
		},
		"a signature is lost to another one": {
			at(1, 5, signByOwner, done), at(2, 6, signByOther, done), at(7, 8, read, sees("processing", false, true, 3)),
		},
		"a person signs twice": {
			at(1, 5, signByOwner, done), at(2, 6, signByOwner, done),
		},
		"both the cancelation and the last signature are acknowledged": {
			at(1, 2, signByOwner, done), at(3, 9, cancel, done), at(3, 9, signByOther, done),
		},
		"completed without all signatures": {
			at(1, 2, signByOwner, done), at(3, 4, read, sees("completed", true, false, 3)),
		},
		"a later read returns an older version": {
			at(1, 2, read, sees("processing", false, false, 3)), at(3, 4, read, sees("processing", false, false, 2)),
		},
		"a canceled document is processed again": {
			at(1, 2, cancel, done), at(3, 4, read, sees("processing", false, false, 3)),
		},
		"a signature is refused as made that was not": {
			at(1, 2, signByOwner, refused(codeSigned)),
		},
		"a refusal for another reason": {
			at(1, 2, signByOwner, refused("document.not_in_turn")),
		},
	} {
		if isLinear(h) {
			t.Errorf("%s is taken for linear", name)
		}
	}
}
