package main

import "segel/internal/api"

// openapiCommand prints the specification of the HTTP interface.
type openapiCommand struct{}

func (openapiCommand) Run(w *environment) error {
	spec, err := api.Specification()
	if err != nil {
		return err
	}
	_, err = w.stdout.Write(spec)
	return err
}
