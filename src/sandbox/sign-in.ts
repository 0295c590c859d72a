import { loadSignIn } from '../engine/caller.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { SandboxSignIn } from '../sign-in/steer.ts'

/** The sign-in of a world. It reads the state at each call, so that it outlives a reset. */
export function signInOf(stateOf: () => WorldState): SandboxSignIn {
  const steered = async (): Promise<SandboxSignIn> => (await loadSignIn()).steeringOf(stateOf())

  return {
    info: async () => (await steered()).info(),
    users: async () => (await steered()).users(),
    tokens: async () => (await steered()).tokens(),
    as: async (user, options) => (await steered()).as(user, options),
    revoke: async (name) => (await steered()).revoke(name),
  }
}
