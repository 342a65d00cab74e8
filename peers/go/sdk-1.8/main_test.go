package main

import (
	"testing"

	"mcp-compat/peers/sdk/sdktest"
)

func TestTheUsersValueIsTold(t *testing.T) { sdktest.Tells(t, adapter.Client) }

func TestAResultThatTheSDKChangesIsUnsupported(t *testing.T) { sdktest.Plays(t, adapter) }
