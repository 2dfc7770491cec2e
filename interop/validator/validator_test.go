package validator_test

import (
	"testing"
	"time"

	"segel/interop/validator"
)

func TestValidatorThatDiesOrHangsHasNoAnswerAndIsRestarted(t *testing.T) {
	t.Parallel()
	s := &validator.Process{Name: "cat", Command: []string{"sh", "-c", `while read line; do case $line in die) exit 1;; sleep) exec sleep 60;; *) echo "\"$line\"";; esac; done`}, Limit: time.Second}
	defer s.Stop()
	for _, path := range []string{"a", "die", "b", "sleep", "c"} {
		var said string
		err := s.Query(path, &said)
		if answers := len(path) == 1; answers != (err == nil) || answers && said != path {
			t.Errorf("%s: %q, %v", path, said, err)
		}
	}
}
