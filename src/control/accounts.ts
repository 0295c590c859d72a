import type { Caller } from '../access/callers.ts'
import { json } from '../http/message.ts'
import {
  type AccountState,
  describeAccount,
  findCaller,
  liftBan,
  listAccounts,
  setRemaining,
} from '../sandbox/accounts.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { World } from '../sandbox/world.ts'
import { type Handlers, NO_CONTENT } from './call.ts'
import { refuseUnknownName } from './field-errors.ts'

/** Handlers for the accounts that requests are counted on. */
export const accounts: Handlers<'listAccounts' | 'setRemaining' | 'liftBan'> = {
  listAccounts: ({ world }) => json(200, listAccounts(stateOf(world))),

  setRemaining: ({ world, input: { path, body } }) => {
    const state = stateOf(world)
    const caller = callerOf(state, path.account)
    setRemaining(state, caller, body)

    return json(200, describeAccount(state, caller))
  },

  liftBan: ({ world, input: { path } }) => {
    const state = stateOf(world)
    liftBan(state, callerOf(state, path.account))
    return NO_CONTENT
  },
}

function stateOf(world: World): AccountState {
  return SandboxWorld.handleOf(world)().state
}

/** The caller of an account. Throws a 404 for an unknown one. */
function callerOf(state: AccountState, name: string): Caller {
  const caller = findCaller(state, name)
  if (caller) return caller
  const known = listAccounts(state).map(({ account }) => account)
  refuseUnknownName('account', name, known, 'No account has sent a request yet.')
  throw new TypeError(`The account ${name} is in the list, but has no caller`)
}
