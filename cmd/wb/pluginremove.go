package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
)

func pluginRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Take an added plugin out, with its grants", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			id := args[0]
			if !pluginID.MatchString(id) {
				return ports.NewError(ports.CodeUsage, fmt.Sprintf("%q is not a plugin id", clean(id, 60)), "`wb plugin list` shows the ids")
			}
			if err := checkID(id); err != nil {
				return ports.NewError(ports.CodeUsage, id+" comes with wb and stays", "`wb plugin list` shows what was added")
			}
			home, err := pluginHomeFor(cfg)
			if err != nil {
				return err
			}
			if err := home.drop(id); err != nil {
				return err
			}
			fmt.Println("removed " + id)
			return nil
		},
	}
}
