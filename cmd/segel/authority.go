package main

type authorityCommand struct {
	Export authorityExportCommand `cmd:"" help:"Print the root certificate as PEM."`
}

type authorityExportCommand struct{ dataFlag }

func (c authorityExportCommand) Run(w *world) error {
	conf, err := c.config(w, nil)
	if err != nil {
		return err
	}
	a, err := openThere(w.ctx, conf, w.log(conf))
	if err != nil {
		return err
	}
	defer a.close()
	_, err = w.stdout.Write(a.authority.RootPEM())
	return err
}
