package main

import (
	"fmt"

	"segel/internal/workflow"
)

type fsckCommand struct {
	dataFlag
	Remove bool `help:"Remove files that nothing refers to."`
}

func (c fsckCommand) Run(w *world) error {
	conf, err := c.config(w, nil)
	if err != nil {
		return err
	}
	to := reading
	if c.Remove {
		to = writing
	}
	a, err := open(w.ctx, conf, w.log(conf), to)
	if err != nil {
		return err
	}
	defer a.close()
	grave, loose := 0, 0
	err = a.workflow.Fsck(w.ctx, c.Remove, func(f workflow.Finding) {
		if f.Grave {
			grave++
		} else {
			loose++
		}
		fmt.Fprintln(w.stdout, f.Text)
	})
	if err != nil {
		return err
	}
	if err := a.store.CheckLog(w.ctx); err != nil {
		grave++
		fmt.Fprintln(w.stdout, "audit log:", err)
	}
	n, root, err := a.store.Size(w.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "audit log: %d events, root %x\n", n, root)
	fmt.Fprintf(w.stdout, "%d lost or changed, %d left over\n", grave, loose)
	if grave > 0 {
		return exitStatus(1)
	}
	return nil
}
