// Command pocketbase is PocketBase as it is published. It is a module of its own, so that the application
// that wb is tried on stays out of wb's dependencies.
package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
)

func main() {
	if err := pocketbase.New().Start(); err != nil {
		log.Fatal(err)
	}
}
